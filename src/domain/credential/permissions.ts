import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Resources } from "./credential.ts";

export const permissions = [
  "records:read",
  "records:create",
  "records:write",
  "submissions:read",
  "submissions:create",
  "submissions:write",
  "submissions:delete",
  "schema:read",
  "schema:write",
  "webhooks:manage",
] as const;
export type Permission = (typeof permissions)[number];

/** Whether these permissions allow what `asked` names; the permission to write includes that to create. */
export function allows(had: readonly Permission[], asked: Permission): boolean {
  const wider = asked.replace(/:create$/, ":write");
  return had.some((each) => each === asked || each === wider);
}

/** The permission to read the items of apps, or of forms. */
export const readPermission = {
  app: "records:read",
  form: "submissions:read",
} as const satisfies Record<CollectionKind, Permission>;

export type Role = "owner" | "admin" | "editor" | "viewer";

const reads: readonly Permission[] = permissions.filter((each) => each.endsWith(":read"));

/** What a member may do with data and definitions; a personal token never exceeds it. */
const permissionsOfRole: Record<Role, readonly Permission[]> = {
  owner: permissions,
  admin: permissions,
  editor: permissions.filter((each) => each !== "webhooks:manage"),
  viewer: reads,
};

/** What a member may do in the administration area; docs/administration.md has the same table. */
export const abilities = {
  /** Look at apps, forms and their data, and have personal tokens. */
  see: ["owner", "admin", "editor", "viewer"],
  /** Create, change, close, reopen and delete items. */
  write: ["owner", "admin", "editor"],
  /** Make and change apps and forms. */
  define: ["owner", "admin", "editor"],
  /** Issue, edit and revoke every credential; the others have the personal tokens that they issued. */
  credentials: ["owner", "admin"],
  /** Make and change webhooks, and look at their deliveries. */
  webhooks: ["owner", "admin"],
  /** Read the audit. */
  audit: ["owner", "admin"],
  /** Invite and remove editors and viewers. */
  members: ["owner", "admin"],
  /** Make owners and admins, and change what they are. */
  owners: ["owner"],
} as const satisfies Record<string, readonly Role[]>;
export type Ability = keyof typeof abilities;

export function may(role: Role, ability: Ability): boolean {
  const roles: readonly Role[] = abilities[ability];
  return roles.includes(role);
}

/** Owners alone make owners and admins, and change what those are. */
export function mayGive(by: Role, role: Role): boolean {
  return may(by, role === "owner" || role === "admin" ? "owners" : "members");
}

export const roles = Object.keys(permissionsOfRole) as Role[];

export function within(role: Role, asked: readonly Permission[]): Permission[] {
  return asked.filter((permission) => permissionsOfRole[role].includes(permission));
}

/** What a member does in the administration area is bounded by the role alone. */
export function rightsOf(role: Role): { permissions: readonly Permission[]; resources: Resources } {
  return { permissions: permissionsOfRole[role], resources: "all" };
}
