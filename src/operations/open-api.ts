import * as z from "zod/mini";
import {
  loadSelectedDefinitions,
  loadVisibleDefinitions,
  maxJoinedBytes,
} from "#actions/selected-definitions.ts";
import { versions } from "#documents/openapi/versions.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { isNarrow, isVisible } from "#domain/credential/credential.ts";
import {
  type CollectionKind,
  selectedCollections,
  selectionProblem,
  selectionQuery,
} from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { problem } from "#domain/problem/problem.ts";
import { loadIncludedApps } from "#actions/included-apps.ts";
import { operation } from "./operation.ts";
import { definitionTarget, noTarget } from "./targets.ts";

// The OpenAPI documents of one app or form, of a selection, or of the service.

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
      collections: [collection],
      includedApps: await loadIncludedApps(ctx, [collection]),
      version: query.version,
    }),
    summary: "Get the OpenAPI document",
    responses: { 200: { ...documentResponse, example: ({ definition }) => definition.openApi } },
  });

export const getOpenApiDocumentOperation = operation({
  ...sharedDeclaration,
  path: "/openapi.json",
  kind: null,
  target: noTarget,
  query: documentQuery,
  // The function is async, so that an invalid query becomes an error of the prefetch, which the caller gets only after
  // admission.
  prefetch: async (ctx, { query }) => loadSelectedDefinitions(ctx, selectedCollections(query())),
  async run(ctx, { query, prefetched }) {
    const refs = selectedCollections(query);
    const areVisible = refs.every(({ kind, key }) => isVisible(ctx.resources, kind, key));
    if (!areVisible) throw problem.notFound();
    const { count, bytes, collections } = isNarrow(ctx.resources)
      ? await loadVisibleDefinitions(ctx, refs)
      : await prefetched();
    if (count < refs.length) throw problem.notFound();
    if (count > 1 && bytes > maxJoinedBytes) {
      const reason = `The definitions may have at most ${maxJoinedBytes} bytes together, not ${bytes}.`;
      throw selectionProblem(query, reason);
    }
    const includedApps = await loadIncludedApps(ctx, collections);
    return { collections, includedApps, version: query.version };
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
