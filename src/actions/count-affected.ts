import { compileCollection } from "#domain/data/compile.ts";
import type { FieldDiff } from "#domain/definition/diff.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import type { MatchCount } from "#store/data/search/count.ts";
import type { ActionContext } from "./context.ts";
import { queryItems } from "./query-items.ts";
import { accessCollection } from "./caller-access.ts";

/** A change of a field, with the number of items that have the values or options that it hides or removes. */
export type CountedDiff = FieldDiff & { affectedCount?: MatchCount };

const maxCounts = 5;

/** Counts the items that have values in hidden fields, or removed options, for the first few of these changes. */
export async function countAffected(
  ctx: ActionContext,
  { collection, itemCount }: CurrentCollection,
  differences: readonly FieldDiff[],
): Promise<CountedDiff[]> {
  if (itemCount === 0) return [...differences];
  const access = accessCollection(ctx, compileCollection(collection));
  const counted = new Set(differences.filter(({ affected }) => affected).slice(0, maxCounts));
  return Promise.all(
    differences.map(async (difference) => {
      if (!counted.has(difference)) return difference;
      const query = { body: { conditions: [difference.affected] }, isForPeople: true };
      try {
        const { count } = await queryItems(ctx, access, query, null, 1);
        return count ? { ...difference, affectedCount: count } : difference;
      } catch (error) {
        // Searches cannot use a field that is not searchable or not yet indexed.
        if (error instanceof Problem) return difference;
        throw error;
      }
    }),
  );
}
