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
import { viewQuery } from "./viewed-page.ts";

const aggregateQuery = lazy(() => z.pick(viewQuery(), { view: true }));

type AggregateQuery = z.output<ReturnType<typeof aggregateQuery>>;

/** Computes the figures. Without rights, it reads no other apps, and returns null if the conditions ask for that. */
const loadFigures =
  (kind: CollectionKind, rights?: ReaderRights): Prefetch<AggregateView | null, AggregateQuery> =>
  async (ctx, { path, body, query }) => {
    const sentBody = await body();
    const likely = await cachedOrStoredCollection(ctx, kind, path.key);
    if (!likely) throw problem.notFound();
    const access = await accessCurrentCollection(ctx, likely);
    // What a caller may read of other apps is known after the admission.
    if (!rights && readsOtherApps(sentBody, undefined)) return null;
    return aggregateItems(ctx, access, sentBody, { view: query().view, rights });
  };

/** Returns figures over the items that match conditions. */
export const aggregateOperation = (kind: CollectionKind) => {
  const { many } = resourceNames(kind);
  return operation({
    method: "POST",
    path: collectionPaths(kind).aggregate,
    kind,
    tag: many,
    permission: readPermission[kind],
    effect: "read",
    target: collectionTarget(kind),
    query: aggregateQuery,
    body: {
      schema: ({ key, one }) => (key === undefined ? "Aggregate" : `${one}Aggregate`),
      example: ({ aggregate }) => aggregate,
    },
    admissionKey: ({ key }) => `aggregate ${kind}:${key}`,
    prefetch: loadFigures(kind),
    async run(ctx, { prefetched, read }) {
      const figures = (await prefetched()) ?? (await read(loadFigures(kind, ctx)));
      if (!figures) throw new Error("There are no figures.");
      return { document: figures };
    },
    summary: `Aggregate ${many}`,
    description: `Counts, sums, averages, minima and maxima of the ${many} that meet the conditions, by up to two fields. All figures reflect one state. Sums are exact.`,
    responses: {
      200: {
        description: "The figures.",
        schema: ({ key, one }) => (key === undefined ? "Aggregates" : `${one}Aggregates`),
        example: ({ aggregated }) => aggregated,
      },
    },
    problems: ["indexing"],
    tool: {
      name: `aggregate_${many}`,
      title: `Aggregate ${many}`,
      description: `Counts ${many}, or sums, averages and compares the values of their fields, grouped by up to two fields or periods. Sums are exact.`,
      isPerCollection: true,
      input: aggregateInput,
    },
  });
};
