import * as z from "zod/mini";
import type { ActionContext, ReadContext } from "#actions/context.ts";
import {
  buildDefinitionEtag,
  listVisibleCollections,
  putDefinition,
  type SavedDefinition,
  type SummaryPage,
} from "#actions/definitions.ts";
import { dryRunDefinition, type DryRun } from "#actions/dry-run-definition.ts";
import { dryRunPatch, patchDefinition } from "#actions/patch-definition.ts";
import type { Prefetch } from "#actions/read.ts";
import {
  consequencesDocument,
  schemaDocument,
  summaryDocument,
  type CollectionInfo,
} from "#documents/definitions.ts";
import { kindSchemaNames } from "#documents/openapi/definition-schemas.ts";
import { mergePatchType } from "#documents/openapi/description.ts";
import type { Examples } from "#documents/openapi/examples.ts";
import { definitionInput, plainInput } from "#documents/openapi/tool-inputs.ts";
import { collectionLinks, collectionPaths, fillPath } from "#domain/api-paths.ts";
import type { Resources } from "#domain/credential/credential.ts";
import { defaultPageLimit, pageQuery, type Paging } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { etagOf } from "#domain/preconditions.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { noQuery } from "./items.ts";
import { operation, type LinkedDocument, type SingleResult } from "./operation.ts";
import { definitionTarget, keyTarget, noTarget, storedDefinitionTarget } from "./targets.ts";

const sharedDeclaration = { tag: "definitions" } as const;
const definitionName = (kind: CollectionKind) => `${kindSchemaNames[kind]}Definition`;

/**
 * Prefetches the list of all collections, because most credentials see all of them. For others, it reads again with
 * their resources.
 */
export const listCollectionsOperation = (kind: CollectionKind) => {
  const binding = `${kind}s`;
  type BookmarkedPage = SummaryPage & { bookmark: string | null };
  const prefetchVisibleTo =
    (resources: Resources): Prefetch<BookmarkedPage, Paging> =>
    async (ctx, { query, position }) => {
      const { cursor, limit = defaultPageLimit } = query();
      const start = await position(binding, cursor, ctx.versions);
      const after = Number(start?.[0] ?? 0);
      const page = await listVisibleCollections(ctx, resources, kind, after, limit);
      return { ...page, bookmark: ctx.versions.newestBookmark() };
    };
  const prefetchAll = prefetchVisibleTo("all");
  return operation({
    ...sharedDeclaration,
    method: "GET",
    path: collectionPaths(kind).list,
    kind,
    permission: null,
    effect: "read",
    target: noTarget,
    query: pageQuery,
    prefetch: prefetchAll,
    async run({ resources }, { prefetched, read }) {
      const page = await (resources === "all" ? prefetched() : read(prefetchVisibleTo(resources)));
      const { summaries, nextPosition, bookmark } = page;
      return {
        items: summaries.map((summary) => linkedSummary(kind, summary)),
        next: nextPosition === null ? null : { binding, position: [nextPosition], bookmark },
      };
    },
    summary: `List ${kind}s`,
    description: `Returns the ${kind}s that the credential can access.`,
    responses: {
      200: {
        description: "A page.",
        schema: `${kindSchemaNames[kind]}Page`,
        example: ({ definition }) => definition.page,
      },
    },
    tool: {
      name: `list_${kind}s`,
      title: `List ${kind}s`,
      description: `Lists the ${kind}s that you can access, with their keys.`,
      isPerCollection: false,
      input: plainInput,
    },
  });
};

export const getCollectionOperation = (kind: CollectionKind) =>
  operation({
    ...sharedDeclaration,
    method: "GET",
    path: collectionPaths(kind).collection,
    kind,
    permission: null,
    effect: "read",
    target: definitionTarget(kind),
    query: noQuery,
    precondition: "If-None-Match",
    run(_, { target: { collection } }) {
      const { key, version, definition } = collection;
      const { name, description, time_zone: timeZone } = definition;
      const summary = { key, version, name, description, timeZone };
      return { ...linkedSummary(kind, summary), etag: etagOf(version) };
    },
    summary: kind === "app" ? "Get an app" : "Get a form",
    description: "Returns the name, the version of the definition and links.",
    responses: {
      200: {
        description: `The ${kind}.`,
        schema: kindSchemaNames[kind],
        example: ({ definition }) => definition.summary,
        headers: ["ETag"],
      },
    },
  });

export const getDefinitionOperation = (kind: CollectionKind) =>
  operation({
    ...sharedDeclaration,
    method: "GET",
    path: collectionPaths(kind).schema,
    kind,
    permission: "schema:read",
    effect: "read",
    target: definitionTarget(kind),
    query: noQuery,
    precondition: "If-None-Match",
    run: (ctx, { target, origin }) => ({
      ...linkedDefinition(ctx, target, origin),
      etag: buildDefinitionEtag(ctx, target),
    }),
    summary: "Get a definition",
    description:
      "Returns the fields and their rules. You can edit the response and send it back with PUT.",
    responses: {
      200: {
        description: "The definition.",
        schema: definitionName(kind),
        example: ({ definition }) => definition.response,
        headers: ["ETag"],
      },
    },
    tool: {
      name: "read_definition",
      title: "Get a definition",
      description:
        "Returns the fields of an app or a form, with their keys, types and rules, and whether a form accepts submissions. Send either app or form.",
      isPerCollection: false,
      acceptsEitherKind: true,
      input: definitionInput,
    },
  });

const dryRunQuery = lazy(() => z.object({ dry_run: z.optional(z.enum(["true", "false"])) }));

/** The parts that PUT and PATCH of a definition share. */
const definitionWrite = (kind: CollectionKind) =>
  ({
    ...sharedDeclaration,
    path: collectionPaths(kind).schema,
    kind,
    permission: "schema:write",
    effect: "checkable",
    query: dryRunQuery,
    parameterComponents: { dry_run: "dryRun" },
  }) as const;

/** The response with the definition. In a dry run, it has the ETag of the stored definition. */
const changedResponse = (kind: CollectionKind) =>
  ({
    description: "The definition was changed, or only validated in a dry run.",
    schema: definitionName(kind),
    example: ({ definition }: Pick<Examples, "definition">) => definition.response,
    headers: ["ETag.known"],
  }) as const;

export const putDefinitionOperation = (kind: CollectionKind) =>
  operation({
    ...definitionWrite(kind),
    method: "PUT",
    target: keyTarget(kind),
    body: { schema: definitionName(kind), example: ({ definition }) => definition.request },
    precondition: "both",
    async run(ctx, { path: { key }, query, body, ifMatch, ifNoneMatch, origin }) {
      const conditions = { ifMatch, ifNoneMatch };
      if (query.dry_run === "true")
        return checkedResult(ctx, await dryRunDefinition(ctx, kind, key, body, conditions), origin);
      return savedResult(ctx, await putDefinition(ctx, kind, key, body, conditions), origin);
    },
    summary: "Create or replace a definition",
    description:
      "Creates the app or form, or replaces its definition. Omitting a field hides it and keeps its data; sending it again restores both. The examples omit `default`, so get the definition before you change it.",
    responses: {
      200: changedResponse(kind),
      201: {
        ...changedResponse(kind),
        description: "Created.",
        headers: ["ETag", "Location"],
        isForNewCollections: true,
      },
      202: {
        ...changedResponse(kind),
        description:
          "The current definition. `pending` describes the change, which takes effect after all items are checked.",
        headers: ["ETag"],
      },
    },
    problems: ["schema_in_use"],
  });

export const patchDefinitionOperation = (kind: CollectionKind) =>
  operation({
    ...definitionWrite(kind),
    method: "PATCH",
    target: storedDefinitionTarget(kind),
    body: {
      types: [mergePatchType],
      schema: `${definitionName(kind)}Patch`,
      example: ({ definition }) => definition.patch,
    },
    precondition: "If-Match",
    async run(ctx, { target, query, body, ifMatch, origin }) {
      if (query.dry_run === "true")
        return checkedResult(ctx, await dryRunPatch(ctx, target, body, ifMatch), origin);
      return savedResult(ctx, await patchDefinition(ctx, target, body, ifMatch), origin);
    },
    summary: "Update settings",
    description:
      "Updates the members that you send, except `fields`. `null` restores the default. A pending change continues.",
    responses: { 200: changedResponse(kind) },
    problems: ["schema_in_use"],
  });

/** The schema document with its links. */
function linkedDefinition(
  { now }: Pick<ReadContext, "now">,
  { collection, itemCount, indexing, pending }: CurrentCollection,
  origin: string,
): LinkedDocument {
  return {
    document: schemaDocument(collection, itemCount, indexing, pending, now(), origin),
    links: collectionLinks(collection.kind, collection.key),
  };
}

/** An app or form in a list. */
const linkedSummary = (kind: CollectionKind, summary: CollectionInfo): LinkedDocument => ({
  document: summaryDocument(summary),
  links: collectionLinks(kind, summary.key),
});

function savedResult(
  ctx: ActionContext,
  savedDefinition: SavedDefinition,
  origin: string,
): SingleResult {
  const result = {
    ...linkedDefinition(ctx, savedDefinition, origin),
    etag: buildDefinitionEtag(ctx, savedDefinition),
  };
  const { kind, key } = savedDefinition.collection;
  switch (savedDefinition.outcome) {
    case "created":
      return { ...result, status: 201, location: fillPath(collectionPaths(kind).schema, { key }) };
    case "pending":
      return { ...result, status: 202 };
    case "changed":
    case "unchanged":
      return result;
  }
}

/** Returns the resulting definition with the ETag of the stored one, for If-Match in the real write. */
function checkedResult(
  ctx: ActionContext,
  { current, result, consequences }: DryRun,
  origin: string,
): SingleResult {
  const { document, links = {} } = linkedDefinition(ctx, result, origin);
  return {
    document: { ...document, consequences: consequencesDocument(consequences) },
    links,
    ...(current ? { etag: buildDefinitionEtag(ctx, current) } : {}),
  };
}
