import { uniqueValues, type UniqueValue } from "#domain/data/index-entries.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { mostOperations, type Operation } from "#domain/item/body.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { readHolders } from "#store/data/batch-read.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";
import type { ActionContext } from "./context.ts";
import { readCurrent, duplicateProblem, refuseClosed } from "./create-item.ts";
import { applyOperations, simulate } from "./apply-batch.ts";
import { BatchRefusal, type OperationResult } from "./batch-results.ts";

/** What becomes of a row, or why it is refused. */
export type RowOutcome = OperationResult["outcome"] | Problem;

/** What a check may take, as so many batches may. */
const mostSpent = 5;

/**
 * What would become of rows if they were written now, in runs as they are written; nothing is stored. What two rows of
 * different runs cannot both have is the later one's fault.
 */
export async function checkRows(
  ctx: ActionContext,
  known: Compiled,
  rows: readonly Operation[],
): Promise<RowOutcome[]> {
  const now = await readCurrent(ctx, known);
  const seen = new Map<string, string>();
  const outcomes: RowOutcome[] = [];
  let all = 0;
  for (const run of runsOf(rows)) {
    const { outcomes: some, spent } = await checkRun(ctx, now.compiled, run, seen);
    all += spent;
    if (all > mostSpent) throw tooMuch();
    outcomes.push(...some);
  }
  if (outcomes.includes("created")) refuseClosed(now, ctx.now());
  return outcomes;
}

function tooMuch(): Problem {
  const reason =
    "Its rows take too much together, by their formulas and patterns or by what is stored already: import fewer at once.";
  return problem.invalidInput([{ field: "file", code: "too_complex", reason }]);
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
): Promise<{ outcomes: RowOutcome[]; spent: number }> {
  const { results, refusals, write, spent } = await simulate(ctx, compiled, run);
  const refused = new Map(refusals.map((each) => [each.index, each.problem]));
  const held = write.taken.length > 0 ? await readHolders(ctx.db, valuesOf(write.taken)) : [];
  const released = new Set(write.released.map((each) => JSON.stringify(each)));
  const holders = held.filter(
    ({ item, field, value }) => !released.has(JSON.stringify([item, field, value])),
  );
  const outcomes = run.map((_, index): RowOutcome => {
    const refusal = refused.get(index);
    const result = results[index];
    if (refusal || !result) return refusal ?? duplicateProblem(ctx, compiled, []);
    const { last, now } = result.item;
    const own = now ? uniqueValues(compiled.collection, now.data, now.status) : [];
    const clash = own.find(([field, value]) => {
      const holder = holders.find((each) => each.field === field && each.value === value);
      const before = seen.get(JSON.stringify([field, value]));
      return (
        (holder && holder.item !== last.number) || (before !== undefined && before !== last.id)
      );
    });
    if (clash) return duplicateProblem(ctx, compiled, [{ field: clash[0], id: "" }]);
    for (const each of own) seen.set(JSON.stringify(each), last.id);
    return result.outcome;
  });
  return { outcomes, spent };
}

const valuesOf = (taken: BatchWrite["taken"]) =>
  taken.map(([, field, value]): UniqueValue => [field, value]);

/** Which rows are refused may change with those that are left out, and by others who write. */
const mostTries = 10;

/** Writes rows, at most a batch of them: those that are refused are left out, all others are stored together. */
export async function writeRows(
  ctx: ActionContext,
  compiled: Compiled,
  rows: readonly Operation[],
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  let left = rows.map((operation, index) => ({ operation, index }));
  for (let tries = 0; left.length > 0; tries += 1) {
    const operations = left.map(({ operation }) => operation);
    const done = await tried(() => applyOperations(ctx, compiled, operations));
    if (!(done instanceof Problem)) {
      left.forEach(({ index }, i) => (outcomes[index] = done[i]?.outcome ?? "unchanged"));
      return outcomes;
    }
    if (!(done instanceof BatchRefusal)) {
      const rest = await halves(ctx, compiled, operations, done);
      left.forEach(({ index }, i) => (outcomes[index] = rest[i] ?? done));
      return outcomes;
    }
    if (tries === mostTries) {
      for (const { index } of left) outcomes[index] = unsettled();
      return outcomes;
    }
    const refused = new Map(done.refusals.map(({ index, problem: why }) => [index, why]));
    for (const [place, why] of refused) {
      const index = left[place]?.index;
      if (index !== undefined) outcomes[index] = why;
    }
    left = left.filter((_, place) => !refused.has(place));
  }
  return outcomes;
}

const unsettled = () =>
  problem.conflict("Too many rows of this file stand against each other: import it once more.");

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
