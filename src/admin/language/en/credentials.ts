import type {
  CredentialKind,
  CredentialState,
  CredentialStateFilter,
} from "#domain/credential/credential.ts";
import type { Access, Place, Right, Thing } from "#admin/credentials/access-sentence.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Child } from "hono/jsx";
import { capitalize } from "#domain/text.ts";
import { sentence } from "#admin/language/sentence.ts";
import { listing, type Words } from "./words.ts";

/** The access of a credential to items. Without a kind, it applies to items of apps and of forms. */
interface ItemAccess {
  kind: CollectionKind | null;
  actions: readonly ("read" | "create" | "write" | "delete")[];
}

/** The numbers of apps and forms that a credential or webhook selects. Some may be selected only through a view. */
interface Selection {
  forms: number;
  apps: number;
  views: number;
}

const kinds = (): Record<CredentialKind, string> => ({
  token: "Personal token",
  client: "API client",
});

const states = (): Record<CredentialState, string> => ({
  active: "Active",
  ends_soon: "Expires soon",
  expired: "Expired",
  revoked: "Revoked",
});

const permissions = (): Record<Permission, string> => ({
  "records:read": "Read and search records",
  "records:create": "Create records",
  "records:write": "Create and edit records",
  "submissions:read": "Read and search submissions",
  "submissions:create": "Create and validate submissions",
  "submissions:write": "Create and edit submissions",
  "submissions:delete": "Delete submissions",
  "schema:read": "Read definitions and OpenAPI documents",
  "schema:write": "Create and edit forms and apps",
  "webhooks:manage": "Manage webhooks and view deliveries",
});

const itemAccess = ({ kind, actions }: ItemAccess): string => {
  const verbs = actions.flatMap((action) => (action === "write" ? ["create", "edit"] : [action]));
  const items = { app: "records", form: "submissions" };
  return `${capitalize(listing(verbs))} ${kind === null ? "data" : items[kind]}`;
};

function selection({ forms, apps, views }: Selection, { quantity }: Words): string {
  const counts = [
    ...(forms > 0 ? [quantity(forms, "form")] : []),
    ...(apps > 0 ? [quantity(apps, "app")] : []),
  ].join(", ");
  if (views === 0) return counts;
  return views === forms + apps ? `Part of ${counts}` : `${counts} (${views} in part)`;
}

const things: Record<Thing, string> = {
  records: "records",
  submissions: "submissions",
  definitions: "definitions",
  webhooks: "webhooks",
};

const maxListedPlaces = 4;

function placesText(places: "all" | readonly Place[]): string {
  if (places === "all") return "all forms and apps";
  const listed = places.slice(0, maxListedPlaces).map(({ name }) => name);
  const hidden = places.length - listed.length;
  return listing(hidden > 0 ? [...listed, `${hidden} more`] : listed);
}

/** The access to whole apps and forms. */
function wholeSentence(rights: readonly Right[], where: string, isPast: boolean): string {
  const clauses = rights.map(
    (right) => `${listing(right.verbs)} ${listing(right.things.map((thing) => things[thing]))}`,
  );
  const can = isPast ? "could" : "can";
  return clauses.length > 2
    ? `In ${where}, it ${can} ${clauses.slice(0, -1).join("; ")}; and ${clauses.at(-1) ?? ""}.`
    : `${capitalize(can)} ${clauses.join(", and ")} in ${where}.`;
}

const noAccess = "No access. None of its permissions apply to the selected forms and apps.";

/** “Can read the records of Orders whose State is “New”, and of these only Customer and Total (view “New orders”).” */
function partSentence(
  { name, kind, part }: Place,
  verbs: readonly string[],
  isPast: boolean,
): string {
  if (part === null || part === "gone")
    return `${isPast ? "Had" : "Has"} no access to ${name}, because its view was deleted.`;
  const items = kind === "app" ? "records" : "submissions";
  const can = isPast ? "Could" : "Can";
  if (part === "long")
    return `${can} ${listing(verbs)} a part of the ${items} of ${name}. Its view is too long to describe here.`;
  const { view, conditions, fields } = part;
  const which = conditions === null ? "" : ` whose ${conditions}`;
  const labels = listing(fields?.labels ?? []);
  const fieldsText =
    fields === null
      ? ""
      : fields.isHidden
        ? `, without ${labels}`
        : `, and of these only ${labels}`;
  const extent = conditions === null ? "all" : "the";
  return `${can} ${listing(verbs)} ${extent} ${items} of ${name}${which}${fieldsText} (view “${view}”).`;
}

function accessSentence({ rights, places, isPast }: Access): string {
  if (rights.length === 0) return noAccess;
  const parts = places === "all" ? [] : places.filter(({ part }) => part !== null);
  const whole = places === "all" ? places : places.filter(({ part }) => part === null);
  if (whole === "all" || parts.length === 0)
    return wholeSentence(rights, placesText(whole), isPast);
  const verbsFor = (thing: Thing) =>
    rights.find((right) => right.things.includes(thing))?.verbs ?? [];
  const sentences = parts.slice(0, maxListedPlaces).flatMap((place) => {
    const verbs = verbsFor(place.kind === "app" ? "records" : "submissions");
    return verbs.length === 0 ? [] : [partSentence(place, verbs, isPast)];
  });
  const hidden = parts.length - maxListedPlaces;
  const can = isPast ? "Could" : "Can";
  if (hidden > 0) sentences.push(`${can} access part of ${hidden} more.`);
  if (whole.length > 0) sentences.push(wholeSentence(rights, placesText(whole), isPast));
  else {
    for (const thing of ["definitions", "webhooks"] as const) {
      const verbs = verbsFor(thing);
      const one = thing === "definitions" && parts.length === 1 ? "the definition" : thing;
      if (verbs.length > 0) sentences.push(`${can} ${listing(verbs)} ${one}.`);
    }
  }
  return sentences.length === 0 ? noAccess : sentences.join(" ");
}

/** A credential's access in a few words. */
const access = (words: Words) => ({
  summary: (permitted: string, selected: string) => `${permitted} · ${selected}`,
  sentence: accessSentence,
  none: "No permissions",
  items: itemAccess,
  itemsAndDefinitions: (items: ItemAccess) => `${itemAccess(items)}, edit definitions`,
  editDefinitions: "Edit definitions",
  readDefinitions: "Read definitions",
  manageWebhooks: "Manage webhooks",
  everything: "All forms and apps",
  selection: (selected: Selection) => selection(selected, words),
});

const filterStates = (): Record<CredentialStateFilter, string> => ({
  current: "Not revoked",
  ends_soon: "Expires within 14 days",
  expired: "Expired",
  revoked: "Revoked",
  all: "All",
});

const list = () => ({
  caption: "Credentials",
  columns: {
    name: "Name",
    kind: "Kind",
    access: "Access",
    lastUsed: "Last used",
    requests: "Requests, 24 hours",
    expires: "Expires",
    state: "State",
  },
  /** A label before the number of requests, on phones. */
  anyKind: "Any kind",
  kinds: { token: "Personal tokens", client: "API clients" },
  states: filterStates(),
  none: "No credentials yet",
  purpose: "A credential lets another system read or write data through the API.",
  noMatches: "No matching credentials",
  older: "Show older credentials",
});

/** The page with a new secret. */
const newSecret = () => ({
  titles: { token: "Your new token", client: "Your new client secret" },
  clientId: "Client ID",
  names: { token: "Token", client: "Client secret" },
  tryIt: "Try it",
  runnable: "Run this request as it is. It doesn’t change any data.",
  assistant: "Connect an assistant",
  assistants: (path: Child) =>
    sentence`Assistants use your forms and apps as tools at ${path}, with the permissions of this credential.`,
  assistantGuide: "Learn how to connect",
  assistantSettings: "MCP settings",
  website: "Post from your page",
  changeAccess: "Change access",
  websiteRequest: "This request creates a submission.",
  websiteExample: "Copy a whole page",
  websiteComment: "One key for each visit, so that a double click creates one submission.",
});

/** “Integrations and external data”: personal tokens and API clients. */
export const credentials = (words: Words) => ({
  title: "Integrations and external data",
  create: "Create credential",
  labels: {
    purpose: "Purpose",
    permissions: "Permissions",
    resources: "Resources",
    kind: "Kind",
    name: "Name",
    expires: "Expires",
    expires_on: "Expiry date",
    requests: "Requests per minute",
    writes: "Writes per minute",
    origins: "Allowed origins",
  },
  kinds: kinds(),
  states: states(),
  permissions: permissions(),
  access: access(words),
  list: list(),
  tabsLabel: "Credential",
  tabs: {
    requests: "Requests",
    access: "Access",
    secrets: { token: "Token", client: "Client secret" },
  },
  facts: {
    clientId: "Client ID",
    expires: "Expires",
    revoked: "Revoked",
    lastUsed: "Last used",
    created: "Created",
    limits: "Rate limits",
  },
  neverUsed: "Never",
  neverExpires: "Never",
  details: "Details",
  limits: (requests: number, writes: number) =>
    `${words.quantity(requests, "request")} and ${words.quantity(writes, "write")} per minute`,
  readLimit: (requests: number) => `${words.quantity(requests, "request")} per minute`,
  rejected: (count: number) => `, ${words.formatCount(count)} rejected`,
  revoke: "Revoke credential",
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeWarning: (kind: CredentialKind) =>
    `Requests with its ${kind === "token" ? "token" : "client secret or access tokens"} will fail immediately. You keep its request log, and the data it created. You can’t undo this.`,
  revoked: "Credential revoked",
  expiresWithCredential: "With the credential",
  newSecret: newSecret(),
});
