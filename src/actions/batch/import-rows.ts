import { uniqueValues, type UniqueValue } from "../../domain/data/unique-values";
import type { Compiled } from "../../domain/data/compile";
import { mostOperations, type Operation } from "../../domain/item/batch-body";
import { Problem, type FieldError } from "../../domain/problem/problem";
import { readHolders } from "../../store/batch/read";
import type { BatchWrite } from "../../store/batch/write";
import type { ActionContext } from "../context";
import { currentOf, duplicateOf, refuseClosed } from "../items/draft";
import { applyOperations, simulate } from "./apply-batch";
import type { OperationResult } from "./results";

/** What becomes of a row, or why it is refused. */
export type RowOutcome = OperationResult["outcome"] | Problem;

/**
 * What would become of rows if they were written now, in runs as they are written; nothing is stored. What two rows of
 * different runs cannot both have is the later one's fault.
 */
export async function checkRows(
  ctx: ActionContext,
  known: Compiled,
  rows: readonly Operation[],
): Promise<RowOutcome[]> {
  const now = await currentOf(ctx, known);
  const seen = new Map<string, string>();
  const outcomes: RowOutcome[] = [];
  for (const run of runsOf(rows)) outcomes.push(...(await checkRun(ctx, now.compiled, run, seen)));
  if (outcomes.includes("created")) refuseClosed(now, ctx.now());
  return outcomes;
}

function runsOf(rows: readonly Operation[]): Operation[][] {
  const count = Math.ceil(rows.length / mostOperations);
  return Array.from({ length: count }, (_, i) =>
    rows.slice(i * mostOperations, (i + 1) * mostOperations),
  );
}

async function checkRun(
  ctx: ActionContext,
  compiled: Compiled,
  run: readonly Operation[],
  seen: Map<string, string>,
): Promise<RowOutcome[]> {
  const { results, refusals, write } = await simulate(ctx, compiled, run);
  const refused = new Map(refusals.map(({ index, problem }) => [index, problem]));
  const held = write.taken.length > 0 ? await readHolders(ctx.db, valuesOf(write.taken)) : [];
  const released = new Set(write.released.map((each) => JSON.stringify(each)));
  const holders = held.filter(
    ({ item, field, value }) => !released.has(JSON.stringify([item, field, value])),
  );
  return run.map((_, index): RowOutcome => {
    const refusal = refused.get(index);
    const result = results[index];
    if (refusal || !result) return refusal ?? duplicateOf(ctx, compiled, []);
    const { last, now } = result.item;
    const own = now ? uniqueValues(compiled.collection, now.data, now.status) : [];
    const clash = own.find(([field, value]) => {
      const holder = holders.find((each) => each.field === field && each.value === value);
      const before = seen.get(JSON.stringify([field, value]));
      return (
        (holder && holder.item !== last.number) || (before !== undefined && before !== last.id)
      );
    });
    if (clash) return duplicateOf(ctx, compiled, [{ field: clash[0], id: "" }]);
    for (const each of own) seen.set(JSON.stringify(each), last.id);
    return result.outcome;
  });
}

const valuesOf = (taken: BatchWrite["taken"]) =>
  taken.map(([, field, value]): UniqueValue => [field, value]);

/** Writes rows, at most a batch of them: those that are refused are left out, all others are stored together. */
export async function writeRows(
  ctx: ActionContext,
  compiled: Compiled,
  rows: readonly Operation[],
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  let left = rows.map((operation, index) => ({ operation, index }));
  while (left.length > 0) {
    const operations = left.map(({ operation }) => operation);
    const done = await tried(() => applyOperations(ctx, compiled, operations));
    if (!(done instanceof Problem)) {
      left.forEach(({ index }, i) => (outcomes[index] = done[i]?.outcome ?? "unchanged"));
      return outcomes;
    }
    const refused = refusedBy(done);
    if (refused.size === 0) {
      const rest = await halves(ctx, compiled, operations, done);
      left.forEach(({ index }, i) => (outcomes[index] = rest[i] ?? done));
      return outcomes;
    }
    for (const [place, problem] of refused) {
      const index = left[place]?.index;
      if (index !== undefined) outcomes[index] = problem;
    }
    left = left.filter((_, place) => !refused.has(place));
  }
  return outcomes;
}

/** A refusal of rows; what refuses all of them alike, or comes from outside, is thrown. */
async function tried<T>(act: () => Promise<T>): Promise<T | Problem> {
  try {
    return await act();
  } catch (error) {
    const ofRows = error instanceof Problem && error.status < 500;
    if (ofRows && error.code !== "submissions_closed") return error;
    throw error;
  }
}

/** The operations that a refused batch names, each with what was wrong with it. */
function refusedBy({ code, detail, members }: Problem): Map<number, Problem> {
  const errors = (members["errors"] ?? []) as FieldError[];
  const byRow = new Map<number, FieldError[]>();
  for (const error of errors) {
    const place = /^\/operations\/(\d+)/.exec(error.pointer ?? "")?.[1];
    if (place === undefined) continue;
    byRow.set(Number(place), [...(byRow.get(Number(place)) ?? []), error]);
  }
  return new Map(
    [...byRow].map(([place, found]) => [place, new Problem(code, detail, { errors: found })]),
  );
}

/** All of them together are too much: the first and the second half alone may not be. */
async function halves(
  ctx: ActionContext,
  compiled: Compiled,
  operations: readonly Operation[],
  refusal: Problem,
): Promise<RowOutcome[]> {
  if (operations.length === 1) return [refusal];
  const middle = Math.ceil(operations.length / 2);
  const first = await writeRows(ctx, compiled, operations.slice(0, middle));
  return [...first, ...(await writeRows(ctx, compiled, operations.slice(middle)))];
}
