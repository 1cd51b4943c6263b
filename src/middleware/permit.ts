import { createMiddleware } from "hono/factory";
import type { Permission } from "../domain/permissions";
import { problem } from "../domain/problem";
import type { ApiEnv } from "../env";

/** Permissions belong to the credential as a whole: 403 is decided before anything is looked up. */
export const permit = (permission: Permission) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    if (!c.var.grant.permissions.includes(permission)) throw problem.permissionRequired(permission);
    await next();
  });
