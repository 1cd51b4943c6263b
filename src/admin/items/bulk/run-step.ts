import type { Context } from "hono";
import {
  writeAllowance,
  writeRows,
  type RowOutcome,
  type WriteAllowance,
} from "#actions/import-rows.ts";
import { queryItems, type ItemQuery } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import type { CursorPosition, NextPosition } from "#domain/cursor.ts";
import { maxOperations } from "#domain/item/body.ts";
import type { ItemView } from "#domain/item/item.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { readTexts } from "#admin/preferences.ts";
import { itemTitle } from "#admin/items/value.tsx";
import { operationOf, reasonOf, type BulkChange } from "./change.ts";
import { maxRefusals, type BulkReport, type RejectedItem } from "./report.ts";
import { selectionQuery, type FixedSelection } from "./selection.ts";

/**
 * The maximum number of batches of items that one request changes. The page's script or a button starts the next step.
 */
const batchesPerStep = 5;
const maxStepMs = 5000;
/** The number of attempts for an item that changes concurrently. */
const maxAttempts = 3;

interface Run {
  c: Context<AdminEnv>;
  compiled: CompiledCollection;
  selection: FixedSelection;
  change: BulkChange;
  report: BulkReport;
}

/** Changes the next items of the selection. Returns the position to continue from; null at the end. */
export async function runStep(
  run: Omit<Run, "compiled">,
  compiled: CompiledCollection,
  from: CursorPosition | null,
): Promise<NextPosition | null> {
  const { c, selection } = run;
  const ctx = c.var.action;
  const end = ctx.now() + maxStepMs;
  let position: CursorPosition | null = from;
  let next: NextPosition | null = null;
  let hasReadAll = false;
  const foundIds = new Set<string>();
  const allowance = writeAllowance();
  for (let batch = 0; batch < batchesPerStep; batch += 1) {
    const query: ItemQuery = { ...selectionQuery(selection), fillsPage: true };
    const page = await queryItems(ctx, compiled, query, position, maxOperations);
    for (const { id } of page.views) foundIds.add(id);
    const pageRun = { ...run, compiled: wholeCollection(page.compiled) };
    const count = await changeItems(pageRun, page.views, allowance);
    hasReadAll = page.nextPosition === null;
    const lastPosition = count < page.views.length ? page.positions[count - 1] : undefined;
    position = next = lastPosition ?? page.nextPosition;
    if (next === null || allowance.batches <= 0 || ctx.now() >= end) break;
  }
  if (from === null && hasReadAll) reportMissing(run, foundIds, readTexts(c).bulk.reasons.gone);
  return next;
}

/** Reports selected items that no longer exist. */
function reportMissing(
  { selection, report }: Pick<Run, "selection" | "report">,
  found: Set<string>,
  reason: string,
) {
  for (const id of selection.ids ?? []) {
    if (!found.has(id)) refuse(report, { id, title: `…${id.slice(-8)}`, reason });
  }
}

/**
 * Changes items at the versions that the search returned, so that each item still matches when it is changed. Searches
 * again for an item that has changed since, and changes it only if it still matches. Returns the number of items that it
 * decided on, in order, until the allowance ended.
 */
async function changeItems(
  run: Run,
  views: readonly ItemView[],
  allowance: WriteAllowance,
): Promise<number> {
  const { c, compiled, selection, change, report } = run;
  const ctx = c.var.action;
  let remaining = views;
  let count = views.length;
  for (let attempt = 1; remaining.length > 0; attempt += 1) {
    const operations = remaining.map((view) => operationOf(change, view, selection));
    const outcomes = await writeRows(
      ctx,
      compiled,
      operations,
      attempt === 1 ? allowance : undefined,
    );
    if (attempt === 1) {
      count = outcomes.length;
      remaining = views.slice(0, count);
    }
    const isLast = attempt === maxAttempts;
    const outdated = remaining.filter((view, index) => {
      const outcome = outcomes[index];
      if (!isLast && isOutdated(outcome)) return true;
      countOutcome(run, view, outcome);
      return false;
    });
    if (outdated.length === 0) break;
    const idCondition = { field: "$id", op: "in", value: outdated.map(({ id }) => id) };
    const again = selectionQuery(selection, [idCondition]);
    const page = await queryItems(ctx, compiled, again, null, maxOperations);
    const foundIds = new Set(page.views.map(({ id }) => id));
    for (const view of outdated) {
      if (foundIds.has(view.id)) continue;
      const title = titleOf(run, view);
      refuse(report, { id: view.id, title, reason: readTexts(c).bulk.reasons.noMatch });
    }
    remaining = page.views;
  }
  return count;
}

const isOutdated = (outcome: RowOutcome | undefined) =>
  outcome instanceof Problem && outcome.code === "version_mismatch";

const titleOf = ({ c, compiled: { collection } }: Run, view: ItemView) =>
  itemTitle(view, collection.definition.fields.fields, readTexts(c));

function countOutcome(run: Run, view: ItemView, outcome: RowOutcome | undefined): void {
  const { c, compiled, change, report } = run;
  if (outcome instanceof Problem) {
    const { fields } = compiled.collection.definition.fields;
    const reason = reasonOf(change, outcome, fields, readTexts(c));
    refuse(report, { id: view.id, title: titleOf(run, view), reason });
  } else if (outcome === "unchanged") report.unchanged += 1;
  else report.done += 1;
}

function refuse(report: BulkReport, refusal: RejectedItem): void {
  report.refused += 1;
  if (report.refusals.length < maxRefusals) report.refusals.push(refusal);
}
