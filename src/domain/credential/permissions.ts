import type { CollectionKind } from "../definition/collection";

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
