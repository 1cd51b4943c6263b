import * as z from "zod/mini";
import type { ActionContext } from "#actions/context.ts";
import { visibleCollection, shownBytes } from "#actions/caller-access.ts";
import { versions } from "#documents/openapi/versions.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { isNarrow, isVisible } from "#domain/credential/credential.ts";
import {
  type Collection,
  type CollectionKind,
  type CollectionRef,
  selectedCollections,
  selectionProblem,
  selectionQuery,
} from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { problem } from "#domain/problem/problem.ts";
import { loadIncludedApps } from "#actions/included-apps.ts";
import { loadDefinitions, type LoadedDefinitions } from "#store/data/definition-head.ts";
import { operation } from "./operation.ts";
import { definitionTarget, noTarget } from "./targets.ts";

// The OpenAPI documents of one app or form, of a selection, or of the service.

/** The limit for the total size of the definitions of a joined document. */
const maxJoinedBytes = 1_000_000;

const sharedDeclaration = {
  method: "GET",
  tag: "definitions",
  permission: "schema:read",
  effect: "read",
  precondition: "If-None-Match",
  formats: "openapi",
  description:
    "Returns OpenAPI 3.1. For 3.0.3, send `version=3.0` or `Accept: application/vnd.oai.openapi;version=3.0`.",
} as const;

const documentResponse = { description: "The document.", headers: ["ETag"] } as const;

const versionQuery = lazy(() => z.object({ version: z.optional(z.enum(versions)) }));
const documentQuery = lazy(() => z.extend(selectionQuery(), versionQuery().shape));

export const getCollectionDocumentOperation = (kind: CollectionKind) =>
  operation({
    ...sharedDeclaration,
    path: collectionPaths(kind).openApi,
    kind,
    target: definitionTarget(kind),
    query: versionQuery,
    run: async (ctx, { target: { collection }, query }) => ({
      describes: [collection],
      includedApps: await loadIncludedApps(ctx, [collection]),
      version: query.version,
    }),
    summary: "Get the OpenAPI document",
    responses: { 200: { ...documentResponse, example: ({ definition }) => definition.document } },
  });

export const getOpenApiDocumentOperation = operation({
  ...sharedDeclaration,
  path: "/openapi.json",
  kind: null,
  target: noTarget,
  query: documentQuery,
  async prefetch(ctx, { query }) {
    const selected = selectedCollections(query());
    // A single definition has no size limit here.
    const maxBytes = selected.length > 1 ? maxJoinedBytes : Number.MAX_SAFE_INTEGER;
    return selected.length === 0
      ? { count: 0, bytes: 0, collections: [] }
      : loadDefinitions(ctx.databases, selected, maxBytes);
  },
  async run(ctx, { query, prefetched }) {
    const selected = selectedCollections(query);
    const areVisible = selected.every(({ kind, key }) => isVisible(ctx.resources, kind, key));
    if (!areVisible) throw problem.notFound();
    const { count, bytes, collections } = isNarrow(ctx.resources)
      ? await loadShownDefinitions(ctx, selected)
      : await prefetched();
    if (count < selected.length) throw problem.notFound();
    if (count > 1 && bytes > maxJoinedBytes) {
      const reason = `The definitions may have at most ${maxJoinedBytes} bytes together, not ${bytes}.`;
      throw selectionProblem(query, reason);
    }
    const includedApps = await loadIncludedApps(ctx, collections);
    return { describes: collections, includedApps, version: query.version };
  },
  summary: "Get one OpenAPI document for several apps and forms",
  responses: {
    200: {
      ...documentResponse,
      example: () => ({ openapi: "3.1.0", info: { title: "Edge Forms", version: "1" }, paths: {} }),
    },
  },
  problems: ["not_found"],
});

/** Loads the definitions as far as the caller sees them. One at a time, because hidden parts may be large. */
async function loadShownDefinitions(
  ctx: ActionContext,
  selected: readonly CollectionRef[],
): Promise<LoadedDefinitions> {
  const collections: Collection[] = [];
  let bytes = 0;
  for (const name of selected) {
    const loaded = await loadDefinitions(ctx.databases, [name], Number.MAX_SAFE_INTEGER);
    const [whole] = loaded.collections;
    if (!whole) throw problem.notFound();
    const collection = visibleCollection(ctx, whole);
    bytes += shownBytes(collection);
    collections.push(collection);
  }
  return { count: collections.length, bytes, collections };
}
