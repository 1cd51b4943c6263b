import { describeView } from "#admin/describe-view.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { Credential } from "#domain/credential/credential.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { CollectionLabel } from "#actions/operand-names.ts";

type Texts = Pick<Catalogue, "credentials" | "viewDescription" | "terms">;
type Access = Pick<Credential, "permissions" | "resources">;

/** What a permission allows, and with what. */
const rights: Record<Permission, { verbs: readonly Verb[]; object: Thing }> = {
  "records:read": { verbs: ["read"], object: "records" },
  "records:create": { verbs: ["create"], object: "records" },
  "records:write": { verbs: ["create", "edit"], object: "records" },
  "submissions:read": { verbs: ["read"], object: "submissions" },
  "submissions:create": { verbs: ["create"], object: "submissions" },
  "submissions:write": { verbs: ["create", "edit"], object: "submissions" },
  "submissions:delete": { verbs: ["delete"], object: "submissions" },
  "schema:read": { verbs: ["read"], object: "definitions" },
  "schema:write": { verbs: ["create", "edit"], object: "definitions" },
  "webhooks:manage": { verbs: ["manage"], object: "webhooks" },
};

const verbs = ["read", "create", "edit", "delete", "manage"] as const;
const things = ["records", "submissions", "definitions", "webhooks"] as const;
type Verb = (typeof verbs)[number];
export type Thing = (typeof things)[number];

/** Things that a credential may treat in the same way. */
export interface Right {
  verbs: readonly Verb[];
  things: readonly Thing[];
}

/** An app or form, and what it shows if a view limits it. */
export interface Place {
  name: string;
  part: string | null;
}

/** One sentence that says what a credential may do, like “Can read submissions in Room booking.” */
export function accessSentence(
  { permissions, resources }: Access,
  reachable: readonly CollectionLabel[],
  text: Texts,
): string {
  const { sentence } = text.credentials.access;
  if (resources === "all") return sentence(findRights(permissions, things), "all");
  const hasKind = (kind: string) => resources.some((resource) => resource.startsWith(`${kind}:`));
  const applicable = things.filter(
    (thing) =>
      (thing !== "records" || hasKind("app")) && (thing !== "submissions" || hasKind("form")),
  );
  const places = resources.map((resource) => findPlace(resource, reachable, text));
  return sentence(findRights(permissions, applicable), places);
}

/** The rights with these things. Things with the same verbs are one right. */
function findRights(permissions: readonly Permission[], applicable: readonly Thing[]): Right[] {
  const granted = permissions.map((permission) => rights[permission]);
  const merged: { verbs: Verb[]; things: Thing[] }[] = [];
  for (const thing of applicable) {
    const allowed = verbs.filter((verb) =>
      granted.some((right) => right.object === thing && right.verbs.includes(verb)),
    );
    if (allowed.length === 0) continue;
    const same = merged.find((right) => right.verbs.join() === allowed.join());
    if (same) same.things.push(thing);
    else merged.push({ verbs: allowed, things: [thing] });
  }
  return merged;
}

function findPlace(resource: string, reachable: readonly CollectionLabel[], text: Texts): Place {
  const [collection = "", viewKey] = resource.split("/");
  const label = reachable.find(({ kind, key }) => `${kind}:${key}` === collection);
  const name = label?.name ?? collection.replace(/^\w+:/, "");
  if (viewKey === undefined) return { name, part: null };
  const view = label?.views.find(({ key }) => key === viewKey);
  const part = view && label ? describeView(view, text, label) : null;
  return { name, part: part ?? text.credentials.access.nothing };
}
