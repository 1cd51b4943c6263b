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

/** Whether these permissions include the requested one. Permission to write includes permission to create. */
export function permissionsAllow(
  permissionList: readonly Permission[],
  requested: Permission,
): boolean {
  const writePermission = requested.replace(/:create$/, ":write");
  return permissionList.some(
    (permission) => permission === requested || permission === writePermission,
  );
}

/** The permission to read the items of apps, or of forms. */
export const readPermission = {
  app: "records:read",
  form: "submissions:read",
} as const satisfies Record<CollectionKind, Permission>;

export type Role = "owner" | "admin" | "editor" | "viewer";

const viewerPermissions: readonly Permission[] = permissions.filter((permission) =>
  permission.endsWith(":read"),
);

/** The permissions of members on data and definitions. A personal token never exceeds them. */
const rolePermissions: Record<Role, readonly Permission[]> = {
  owner: permissions,
  admin: permissions,
  editor: permissions.filter((permission) => permission !== "webhooks:manage"),
  viewer: viewerPermissions,
};

/** The roles that have each ability in the administration area. docs/administration.md has the same table. */
export const abilities = {
  /** View apps, forms and their data, and have personal tokens. */
  see: ["owner", "admin", "editor", "viewer"],
  /** Create, change, close, reopen and delete items. */
  write: ["owner", "admin", "editor"],
  /** Create and change apps and forms. */
  define: ["owner", "admin", "editor"],
  /** Erase items, and delete and restore apps and forms. */
  erase: ["owner", "admin"],
  /** Issue, edit and revoke every credential. Other roles can manage only their own personal tokens. */
  credentials: ["owner", "admin"],
  /** Create and change webhooks, and view their deliveries. */
  webhooks: ["owner", "admin"],
  /** Read the audit. */
  audit: ["owner", "admin"],
  /** View the databases, and move apps and forms between them. */
  databases: ["owner", "admin"],
  /** Invite and remove editors and viewers. */
  members: ["owner", "admin"],
  /** Create owners and admins, and change their roles. */
  owners: ["owner"],
} as const satisfies Record<string, readonly Role[]>;
export type Ability = keyof typeof abilities;

export function roleAllows(role: Role, ability: Ability): boolean {
  const roles: readonly Role[] = abilities[ability];
  return roles.includes(role);
}

/** Whether a role can grant another role. Only owners create owners and admins and change their roles. */
export function canGrant(grantingRole: Role, role: Role): boolean {
  return roleAllows(grantingRole, role === "owner" || role === "admin" ? "owners" : "members");
}

export const roles = Object.keys(rolePermissions) as Role[];

/** Returns the requested permissions that the role allows. */
export function filterAllowed(role: Role, requested: readonly Permission[]): Permission[] {
  return requested.filter((permission) => rolePermissions[role].includes(permission));
}

/** Returns the rights of a member in the administration area, which depend only on the member's role. */
export function rightsOf(role: Role): {
  role: Role;
  permissions: readonly Permission[];
  resources: Resources;
} {
  return { role, permissions: rolePermissions[role], resources: "all" };
}
