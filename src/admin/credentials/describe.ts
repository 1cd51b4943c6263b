import type { CollectionLabel } from "#actions/operand-names.ts";
import { textOf } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { Credential, CredentialState, Resources } from "#domain/credential/credential.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { Collection, CollectionKind, View } from "#domain/definition/collection.ts";
import type { Tone } from "#html/parts.tsx";

type Texts = Pick<Catalogue, "credentials">;

export const toTextList = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(textOf) : value === undefined ? [] : [textOf(value)];

const actions = ["read", "create", "write", "delete"] as const;

/** Returns the verbs that the permissions allow on items. Omits “create” next to “write”, which includes it. */
function findItemAccess(permissions: readonly Permission[]) {
  const hasAction = (prefix: string, action: string) =>
    permissions.some((permission) => permission === `${prefix}:${action}`);
  const isGranted = (action: string) =>
    hasAction("records", action) || hasAction("submissions", action);
  const granted = actions.filter(isGranted);
  if (granted.length === 0) return null;
  const hasRecords = granted.some((action) => hasAction("records", action));
  const hasSubmissions = granted.some((action) => hasAction("submissions", action));
  return {
    kind: hasRecords && hasSubmissions ? null : hasRecords ? ("app" as const) : ("form" as const),
    actions: granted.filter((action) => action !== "create" || !granted.includes("write")),
  };
}

/** Describes permissions in short: “Read, write”, “Create submissions”, “Edit definitions”. */
function describePermissions(
  permissions: readonly Permission[],
  { credentials: { access: text } }: Texts,
): string {
  const items = findItemAccess(permissions);
  if (permissions.includes("schema:write"))
    return items ? text.itemsAndDefinitions(items) : text.editDefinitions;
  if (items) return text.items(items);
  if (permissions.includes("schema:read")) return text.readDefinitions;
  return permissions.length > 0 ? text.manageWebhooks : text.none;
}

/** Describes resources in short: “All forms and apps”, “2 forms, 1 app”. */
export function describeResources(resources: Resources, { credentials }: Texts): string {
  if (resources === "all") return credentials.access.everything;
  const countStarting = (start: string) =>
    resources.filter((resource) => resource.startsWith(start)).length;
  return credentials.access.selection({
    forms: countStarting("form:"),
    apps: countStarting("app:"),
    views: resources.filter((resource) => resource.includes("/")).length,
  });
}

/** An app or form as descriptions name it, whatever its version. */
export type PlaceLabel = Omit<CollectionLabel, "id" | "version" | "omits"> &
  Partial<Pick<CollectionLabel, "omits">>;

/** Finds the app or form of a resource, and its view if the resource names one that exists and is not too long. */
export function findResource(resource: string, labels: readonly PlaceLabel[]) {
  const [collection = "", viewKey] = resource.split("/");
  const label = labels.find(({ kind, key }) => `${kind}:${key}` === collection);
  const kind: CollectionKind = collection.startsWith("app:") ? "app" : "form";
  const name = label?.name ?? collection.replace(/^\w+:/, "");
  const view = label?.views.find(({ key }) => key === viewKey);
  const isTooLong = viewKey !== undefined && !view && label?.omits === "all";
  return { kind, name, label, view, viewKey, isTooLong };
}

const maxNamedResources = 3;

/** Lists a few resources by name: “Orders, Helpdesk: only “Open””. Describes more by their numbers. */
export function nameResources(
  resources: Resources,
  labels: readonly CollectionLabel[],
  text: Texts & Pick<Catalogue, "credentialAccess" | "terms">,
): string {
  if (resources === "all" || resources.length > maxNamedResources)
    return describeResources(resources, text);
  const names = resources.map((resource) => {
    const { name, view, viewKey = "", isTooLong } = findResource(resource, labels);
    const viewName = isTooLong ? viewKey : view?.name;
    return viewName === undefined ? name : text.credentialAccess.resources.view(name, viewName);
  });
  return text.terms.list(names);
}

export function describeAccess(
  { permissions, resources }: Pick<Credential, "permissions" | "resources">,
  text: Texts,
): string {
  const { summary } = text.credentials.access;
  return summary(describePermissions(permissions, text), describeResources(resources, text));
}

export const credentialStateTones: Record<CredentialState, Tone> = {
  active: "good",
  ends_soon: "warn",
  expired: "bad",
  revoked: "quiet",
};

/** Returns the path of the page that creates a credential that reads one view. */
export function sharePath(
  { kind, key }: Pick<Collection, "kind" | "key">,
  view: Pick<View, "key" | "name">,
): string {
  const resources = `${kind}:${key}/${view.key}`;
  const choice = new URLSearchParams({ purpose: "part_report", resources, name: view.name });
  return `/admin/integrations/new?${choice.toString()}`;
}

export const credentialPath = ({ id }: Pick<Credential, "id">) => `/admin/integrations/${id}`;
