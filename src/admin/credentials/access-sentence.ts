import { findResource, type PlaceLabel } from "./describe.ts";
import { findViewPart, type ViewPart } from "#admin/describe-view.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { Credential } from "#domain/credential/credential.ts";
import type { Permission } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";

type Texts = Pick<Catalogue, "credentials" | "viewDescription" | "terms">;
export type CredentialAccess = Pick<Credential, "resources"> &
  Partial<Pick<Credential, "revokedAt">> & { permissions: readonly Permission[] };

/** The verbs and the object that describe each permission. */
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

/** Things that a credential has the same verbs for. */
export interface Right {
  verbs: readonly Verb[];
  things: readonly Thing[];
}

/** An app or form, and its part if a view limits it. */
export interface Place {
  name: string;
  kind: CollectionKind;
  /** “Gone” if the view was deleted, “long” if it is too long to describe. Null for the whole app or form. */
  part: (ViewPart & { view: string }) | "gone" | "long" | null;
}

/** The access of a credential, in the words of a language. */
export interface Access {
  rights: readonly Right[];
  places: "all" | readonly Place[];
  /** Whether the credential is revoked. */
  isPast: boolean;
}

/** Returns sentences about the access that a credential has or had, like “Can read submissions in Room booking.” */
export function accessSentence(
  { permissions, resources, revokedAt = null }: CredentialAccess,
  reachable: readonly PlaceLabel[],
  text: Texts,
): string {
  const { sentence } = text.credentials.access;
  const isPast = revokedAt !== null;
  if (resources === "all")
    return sentence({ rights: findRights(permissions, things), places: "all", isPast });
  const allPlaces = resources.map((resource) => findPlace(resource, reachable, text));
  const applicable = things.filter((thing) => allPlaces.some((place) => exists(thing, place)));
  const creates = resources.some((resource) => !findResource(resource, reachable).label);
  const accessRights = findRights(permissions, applicable, creates);
  const places = allPlaces.filter((place) =>
    accessRights.some((right) => right.things.some((thing) => exists(thing, place))),
  );
  return sentence({ rights: accessRights, places, isPast });
}

/** Whether the place has such a thing. For a place with a deleted view, whether it has items of that kind. */
function exists(thing: Thing, { kind, part }: Place): boolean {
  if (thing === "records") return kind === "app";
  return thing === "submissions" ? kind === "form" : part !== "gone";
}

/**
 * Returns the rights on these things. Things with the same verbs form one right. Existing apps and forms cannot be
 * created.
 */
function findRights(
  permissions: readonly Permission[],
  applicable: readonly Thing[],
  createsDefinitions = true,
): Right[] {
  const granted = permissions.map((permission) => rights[permission]);
  const mergedRights: { verbs: Verb[]; things: Thing[] }[] = [];
  for (const thing of applicable) {
    const canCreate = thing !== "definitions" || createsDefinitions;
    const allowed = verbs.filter(
      (verb) =>
        (verb !== "create" || canCreate) &&
        granted.some((right) => right.object === thing && right.verbs.includes(verb)),
    );
    if (allowed.length === 0) continue;
    const same = mergedRights.find((right) => right.verbs.join() === allowed.join());
    if (same) same.things.push(thing);
    else mergedRights.push({ verbs: allowed, things: [thing] });
  }
  return mergedRights;
}

function findPlace(resource: string, reachable: readonly PlaceLabel[], text: Texts): Place {
  const { kind, name, label, view, viewKey, isTooLong } = findResource(resource, reachable);
  if (viewKey === undefined) return { name, kind, part: null };
  if (isTooLong) return { name, kind, part: "long" };
  if (!view || !label) return { name, kind, part: "gone" };
  return { name, kind, part: { view: view.name, ...findViewPart(view, text, label) } };
}
