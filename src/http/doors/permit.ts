import { createMiddleware } from "hono/factory";
import { allows, type Permission } from "#domain/credential/permissions.ts";
import { problem } from "#domain/problem/problem.ts";
import type { ApiEnv } from "#http/env.ts";

/** Permissions belong to the credential as a whole: 403 is decided before anything is looked up. */
export const permit = (permission: Permission) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    if (!allows(c.get("grant").permissions, permission))
      throw problem.permissionRequired(permission);
    await next();
  });
