import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { findDefinition } from "#actions/definitions.ts";
import { knownCollection } from "#actions/collection-cache.ts";
import { findRecord, findSubmission, foundCollection, visible, type Found } from "#actions/visible.ts";
import type { Compiled } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { isVisible } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";
import type { ApiEnv } from "#http/env.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import { asking, type Question } from "#http/doors/question.ts";

/** Doors that a request passes before its body is read: what is not visible is not found. */

export type CollectionEnv = ApiEnv & { Variables: { compiled: Compiled } };
export type FoundEnv = ApiEnv & { Variables: { found: Found } };

const collection = (kind: CollectionKind) => {
  const question: Question<Compiled> = async (ctx, { key = "" }) =>
    knownCollection(kind, key) ?? foundCollection(ctx, kind, key);
  return asking(
    question,
    createMiddleware<CollectionEnv>(async (c, next) => {
      const key = c.req.param("key") ?? "";
      if (!isVisible(c.get("action").resources, kind, key)) throw problem.notFound();
      c.set("compiled", knownCollection(kind, key) ?? (await c.get("read")(question)));
      await next();
    }),
  );
};

export const app = collection("app");
export const form = collection("form");

/** For definitions, which may not exist yet: only the credential's resources are asked. */
export const within = (kind: CollectionKind) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const key = c.req.param("key") ?? "";
    if (!isVisible(c.get("action").resources, kind, key)) throw problem.notFound();
    await next();
  });

/** Answers with a definition as it is now. */
export function withDefinition(
  kind: CollectionKind,
  answer: (c: Context<ApiEnv>, now: CollectionNow) => Response | Promise<Response>,
) {
  const question: Question<CollectionNow> = (ctx, { key = "" }) => findDefinition(ctx, kind, key);
  return asking(question, async (c: Context<ApiEnv>) => answer(c, await c.get("read")(question)));
}

const findOne: Question<Found> = (ctx, { key = "", id = "" }) => findRecord(ctx, key, id);

export const record = asking(
  findOne,
  createMiddleware<FoundEnv>(async (c, next) => {
    if (!isVisible(c.get("action").resources, "app", c.req.param("key") ?? "")) {
      throw problem.notFound();
    }
    c.set("found", await c.get("read")(findOne));
    await next();
  }),
);

const findOneById: Question<Found> = (ctx, { id = "" }) => findSubmission(ctx, id);

export const submission = asking(
  findOneById,
  createMiddleware<FoundEnv>(async (c, next) => {
    c.set("found", visible(c.get("action"), await c.get("read")(findOneById)));
    await next();
  }),
);
