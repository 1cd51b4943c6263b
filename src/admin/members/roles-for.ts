import { may, type Role } from "../../domain/credential/roles";

/** The roles that somebody of this role may give and take. */
export function rolesFor(role: Role) {
  const offered: Role[] = may(role, "owners")
    ? ["viewer", "editor", "admin", "owner"]
    : ["viewer", "editor"];
  return offered;
}
