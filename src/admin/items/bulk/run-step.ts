import type { Context } from "hono";
import { writeRows, type RowOutcome } from "#actions/import-rows.ts";
import { queryItems, type ItemQuery } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import type { CursorPosition, FullPosition } from "#domain/cursor.ts";
import { maxOperations } from "#domain/item/body.ts";
import type { ItemView } from "#domain/item/item.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { AdminEnv } from "#http/env.ts";
import { readTexts } from "#admin/preferences.ts";
import { itemTitle } from "#admin/items/value.tsx";
import { operationOf, reasonOf, type BulkChange } from "./change.ts";
import { selectionQuery, type Selection } from "./selection.ts";

/** An item that a bulk action left out. */
export interface RejectedItem {
  id: string;
  title: string;
  reason: string;
}

/** What a bulk action has done so far. */
export interface BulkReport {
  /** The items that were changed. */
  done: number;
  /** The items that had the value already. */
  unchanged: number;
  refused: number;
  /** The first refused items. */
  refusals: RejectedItem[];
}

export const emptyReport = (): BulkReport => ({ done: 0, unchanged: 0, refused: 0, refusals: [] });

/** The refused items that a report names. */
export const maxRefusals = 100;

/** One request changes at most this many batches of items. The page's script or a button starts the next step. */
const batchesPerStep = 5;
const maxStepMs = 5000;
/** How often an item that changes at the same time is tried again. */
const maxAttempts = 3;

interface Run {
  c: Context<AdminEnv>;
  compiled: CompiledCollection;
  selection: Selection;
  change: BulkChange;
  report: BulkReport;
}

/** Changes the next items of the selection. Returns the position to continue from; null at the end. */
export async function runStep(
  run: Omit<Run, "compiled">,
  compiled: CompiledCollection,
  from: CursorPosition | null,
): Promise<FullPosition | null> {
  const { c, selection } = run;
  const ctx = c.var.action;
  const end = ctx.now() + maxStepMs;
  let position: CursorPosition | null = from;
  let next: FullPosition | null = null;
  const found = new Set<string>();
  for (let batch = 0; batch < batchesPerStep; batch += 1) {
    const query: ItemQuery = { ...selectionQuery(c, compiled, selection), fillsPage: true };
    const page = await queryItems(ctx, compiled, query, position, maxOperations);
    for (const { id } of page.views) found.add(id);
    await changeItems({ ...run, compiled: wholeCollection(page.compiled) }, page.views);
    position = next = page.nextPosition;
    if (next === null || ctx.now() >= end) break;
  }
  if (from === null && next === null) reportMissing(run, found, readTexts(c).bulk.reasons.gone);
  return next;
}

/** Selected items can be gone by now. */
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
 * Changes items in the versions that the search found, so that each still matches when it is changed. One that somebody
 * changed since is searched for again, and changed only if it still matches.
 */
async function changeItems(run: Run, views: readonly ItemView[]): Promise<void> {
  const { c, compiled, selection, change, report } = run;
  const ctx = c.var.action;
  let remaining = views;
  for (let attempt = 1; remaining.length > 0; attempt += 1) {
    const operations = remaining.map((view) => operationOf(change, view));
    const outcomes = await writeRows(ctx, compiled, operations);
    const isLast = attempt === maxAttempts;
    const outdated = remaining.filter((view, index) => {
      const outcome = outcomes[index];
      if (!isLast && isOutdated(outcome)) return true;
      countOutcome(run, view, outcome);
      return false;
    });
    if (outdated.length === 0) return;
    const named = { field: "$id", op: "in", value: outdated.map(({ id }) => id) };
    const again = selectionQuery(c, compiled, selection, [named]);
    const found = await queryItems(ctx, compiled, again, null, maxOperations);
    const foundIds = new Set(found.views.map(({ id }) => id));
    for (const view of outdated) {
      if (foundIds.has(view.id)) continue;
      const title = titleOf(run, view);
      refuse(report, { id: view.id, title, reason: readTexts(c).bulk.reasons.noMatch });
    }
    remaining = found.views;
  }
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
