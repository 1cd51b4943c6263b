import { createMiddleware } from "hono/factory";
import {
  visibleCollection,
  visibleRecord,
  visibleSubmission,
  type Found,
} from "../actions/visible";
import type { Compiled } from "../domain/data/compile";
import type { CollectionKind } from "../domain/definition/collection";
import { isVisible } from "../domain/credential/permissions";
import { problem } from "../domain/problem/problem";
import type { ApiEnv } from "../env";

/** Doors that a request passes before its body is read: what is not visible is not found. */

export type CollectionEnv = ApiEnv & { Variables: { compiled: Compiled } };
export type FoundEnv = ApiEnv & { Variables: { found: Found } };

const collection = (kind: CollectionKind) =>
  createMiddleware<CollectionEnv>(async (c, next) => {
    c.set("compiled", await visibleCollection(c.var.action, kind, c.req.param("key") ?? ""));
    await next();
  });

export const app = collection("app");
export const form = collection("form");

/** For definitions, which may not exist yet: only the credential's resources are asked. */
export const within = (kind: CollectionKind) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const key = c.req.param("key") ?? "";
    if (!isVisible(c.var.action.resources, kind, key)) throw problem.notFound();
    await next();
  });

export const record = createMiddleware<FoundEnv>(async (c, next) => {
  const [key, id] = [c.req.param("key") ?? "", c.req.param("id") ?? ""];
  c.set("found", await visibleRecord(c.var.action, key, id));
  await next();
});

export const submission = createMiddleware<FoundEnv>(async (c, next) => {
  c.set("found", await visibleSubmission(c.var.action, c.req.param("id") ?? ""));
  await next();
});
