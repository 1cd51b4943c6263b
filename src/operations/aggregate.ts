import * as z from "zod/mini";
import { lazy } from "#domain/lazy.ts";
import { accessCurrentCollection } from "#actions/caller-access.ts";
import { aggregateItems, type AggregateView } from "#actions/aggregate-items.ts";
import { cachedOrStoredCollection } from "#actions/collection-cache.ts";
import type { Prefetch } from "#actions/read.ts";
import { readsOtherApps, type ReaderRights } from "#actions/search-targets.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { aggregateInput } from "#documents/openapi/tool-inputs.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";
import { viewQuery } from "./matching-page.ts";

const aggregateQuery = lazy(() => z.pick(viewQuery(), { view: true }));

type AggregateQuery = z.output<ReturnType<typeof aggregateQuery>>;

/** Computes the figures. Without `rights`, reads no other app, and returns null if the conditions need one. */
const loadFigures =
  (kind: CollectionKind, rights?: ReaderRights): Prefetch<AggregateView | null, AggregateQuery> =>
  async (ctx, { path, body, query }) => {
    const requestBody = await body();
    const collection = await cachedOrStoredCollection(ctx, kind, path.key);
    if (!collection) throw problem.notFound();
    const access = await accessCurrentCollection(ctx, collection);
    // The caller's rights to other apps are known only after admission.
    if (!rights && readsOtherApps(requestBody, undefined)) return null;
    return aggregateItems(ctx, access, requestBody, { view: query().view, rights });
  };

/** Returns figures over the items that match conditions. */
export const aggregateOperation = (kind: CollectionKind) => {
  const { plural } = resourceNames(kind);
  return operation({
    method: "POST",
    path: collectionPaths(kind).aggregate,
    kind,
    tag: plural,
    permission: readPermission[kind],
    effect: "read",
    target: collectionTarget(kind),
    query: aggregateQuery,
    body: {
      schema: ({ key, schemaName }) => (key === undefined ? "Aggregate" : `${schemaName}Aggregate`),
      example: ({ aggregate }) => aggregate,
    },
    admissionKey: ({ key }) => `aggregate ${kind}:${key}`,
    prefetch: loadFigures(kind),
    async run(ctx, { prefetched, read }) {
      const figures = (await prefetched()) ?? (await read(loadFigures(kind, ctx)));
      // With rights, the read always returns figures.
      if (!figures) throw new Error("There are no figures.");
      return { document: figures };
    },
    summary: `Aggregate ${plural}`,
    description: `Counts, sums, averages, minima and maxima of the ${plural} that meet the conditions, by up to two fields. All figures reflect one state. Sums are exact.`,
    responses: {
      200: {
        description: "The figures.",
        schema: ({ key, schemaName }) =>
          key === undefined ? "Aggregates" : `${schemaName}Aggregates`,
        example: ({ aggregateResponse }) => aggregateResponse,
      },
    },
    problems: ["indexing"],
    tool: {
      name: `aggregate_${plural}`,
      title: `Aggregate ${plural}`,
      description: `Counts ${plural}, or sums, averages and compares the values of their fields, grouped by up to two fields or periods. Sums are exact.`,
      isPerCollection: true,
      input: aggregateInput,
    },
  });
};
