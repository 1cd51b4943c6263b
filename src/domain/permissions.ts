import type { CollectionKind } from "./definition/collection";

export const permissions = [
  "records:read",
  "records:write",
  "submissions:read",
  "submissions:write",
  "submissions:delete",
  "schema:read",
  "schema:write",
] as const;
export type Permission = (typeof permissions)[number];

export type Role = "owner" | "admin" | "editor" | "viewer";

const reads: readonly Permission[] = permissions.filter((each) => each.endsWith(":read"));

/** What a member may do with data and definitions; a personal token never exceeds it. */
const permissionsOfRole: Record<Role, readonly Permission[]> = {
  owner: permissions,
  admin: permissions,
  editor: permissions,
  viewer: reads,
};

/** Whether a role manages every credential; the others manage the personal tokens that they issued. */
export const managesCredentials: Record<Role, boolean> = {
  owner: true,
  admin: true,
  editor: false,
  viewer: false,
};

export function within(role: Role, asked: readonly Permission[]): Permission[] {
  return asked.filter((permission) => permissionsOfRole[role].includes(permission));
}

/** All apps and forms, or those named `app:KEY` and `form:KEY`. */
export type Resources = "all" | readonly string[];

export function isVisible(resources: Resources, kind: CollectionKind, key: string): boolean {
  return resources === "all" || resources.includes(`${kind}:${key}`);
}

/** The keys of one kind that are visible, or "all". */
export function visibleKeys(resources: Resources, kind: CollectionKind): "all" | string[] {
  if (resources === "all") return "all";
  return resources
    .filter((name) => name.startsWith(`${kind}:`))
    .map((name) => name.slice(kind.length + 1));
}
