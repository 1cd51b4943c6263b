import { errorAt } from "#domain/problem/field-errors.ts";
import { Problem, type FieldError, problem } from "#domain/problem/problem.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { Compiled } from "#domain/data/compile.ts";
import type { Warning } from "#domain/data/values.ts";
import type { Operation } from "#domain/item/body.ts";
import { type Item, viewOf, type ItemView, receiptNumber } from "#domain/item/item.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";
import type { Given } from "#store/data/replays.ts";
import type { Result, Simulation, Touched } from "./batch-simulation.ts";
import { rowsBeside, writtenData } from "#domain/item/change.ts";

/** Why an operation of a batch is refused. */
export interface Refusal {
  index: number;
  problem: Problem;
}

/** A batch that is refused, with all that refuses it. */
export class BatchRefusal extends Problem {
  readonly refusals: readonly Refusal[];

  constructor({ code, members, headers }: Problem, detail: string, refusals: readonly Refusal[]) {
    super(code, detail, members, headers);
    this.refusals = refusals;
  }
}

/** The order of checks (contract, section 4): the first that fails gives the batch its status. */
const order: readonly ProblemCode[] = [
  "not_found",
  "too_large",
  "version_mismatch",
  "submission_closed",
  "submissions_closed",
  "invalid_input",
];
const mostErrors = 100;

/** All refusals of a batch as one problem, whose `errors` point to the operations. */
export function batchRefusal(refusals: readonly Refusal[]): BatchRefusal {
  const rank = ({ problem }: Refusal) => {
    const place = order.indexOf(problem.code);
    return place === -1 ? order.length : place;
  };
  const [first] = refusals.toSorted((a, b) => rank(a) - rank(b) || a.index - b.index);
  if (!first) throw new Error("A batch is refused for nothing.");
  const errors = refusals.toSorted((a, b) => a.index - b.index).flatMap(errorsOf);
  const { code, members, headers } = first.problem;
  const count = new Set(refusals.map(({ index }) => index)).size;
  const detail = `${count === 1 ? "1 operation is" : `${count} operations are`} refused, and nothing was stored.`;
  const shown = errors.slice(0, mostErrors);
  const told = new Problem(code, detail, { ...members, errors: shown }, headers);
  return new BatchRefusal(told, detail, refusals);
}

function errorsOf({ index, problem }: Refusal): object[] {
  const { code, detail, members } = problem;
  if (code === "invalid_input") {
    return (members["errors"] as FieldError[]).map((error) => ({
      ...error,
      pointer: `/operations/${index}${error.pointer ?? ""}`,
    }));
  }
  const { field, pointer } = errorAt(["operations", index], "invalid_type", "");
  return [{ field, pointer, code, reason: detail, ...members }];
}

/** What became of one operation. */
export interface OperationResult {
  op: Operation["op"];
  outcome: Result["outcome"];
  id: string;
  /** Records only. */
  receiptNumber: string | null;
  version: number;
  warnings: readonly Warning[];
  /** The item as it is when the whole batch is done; null where it is gone, and in a replay. */
  view: ItemView | null;
}

/** What the answer says, as it is remembered for a replay: no representations. */
interface Said {
  prefix: string | null;
  results: (Omit<OperationResult, "view" | "receiptNumber"> & {
    /** The receipt number, or the place among the items that the batch made. */
    receipt: string | number | null;
  })[];
}

/** The same for the first answer: with the items as they are when the batch is done. */
export type Told = Said & { items?: (Item | null)[] };

export function whatIsSaid({ receiptPrefix }: BatchWrite, results: readonly Result[]): Said {
  return {
    prefix: receiptPrefix,
    results: results.map(({ op, outcome, item, version, warnings }) => {
      const { id, number, receiptNumber: receipt } = item.last;
      return { op, outcome, id, version, warnings, receipt: number < 0 ? -number : receipt };
    }),
  };
}

export function batchAnswer(
  compiled: Compiled,
  { prefix, results, items }: Told,
  { place, createdAt }: Given,
): OperationResult[] {
  return results.map(({ receipt, ...result }, index) => {
    const made = typeof receipt === "number" ? receipt - 1 : null;
    const given = made === null || prefix === null ? null : receiptNumber(prefix, place + made);
    const number = typeof receipt === "string" ? receipt : given;
    const item = items?.[index];
    const times = made === null ? {} : { createdAt: createdAt + made, updatedAt: createdAt + made };
    const view = item && viewOf({ ...item, ...times, receiptNumber: number }, compiled);
    return { ...result, receiptNumber: number, view: view ?? null };
  });
}

/** What one batch may change in the search index; one item may as much as it does alone. */
const mostEntries = 60_000;

/**
 * What is to be stored of what operations have made of their items; refuses what would be too large: an item, or all of
 * them together.
 */
export function writtenBy(
  compiled: Compiled,
  { touched, steps, opens, more }: Simulation,
  now: number,
  batchId: string,
  refuse: (item: Touched, refusal: Problem) => void,
): BatchWrite {
  const { kind, id, version, revision, definition } = compiled.collection;
  const write: BatchWrite = {
    collectionId: id,
    revision,
    definitionVersion: version,
    batchId,
    now,
    receiptPrefix: kind === "app" ? definition.receipt_prefix : null,
    opens,
    more,
    expected: [],
    released: [],
    taken: [],
    removed: [],
    added: [],
    made: [],
    changed: [],
    deleted: [],
    changes: steps.map(({ item, action, version: made, difference }) => ({
      ref: item.last.number,
      id: item.last.id,
      action,
      version: made,
      fields: JSON.stringify(difference.fields),
      former:
        item.now === null || action.endsWith(".create") ? null : JSON.stringify(difference.former),
    })),
  };
  for (const [index, each] of touched.entries()) {
    try {
      add(write, compiled, each);
    } catch (refusal) {
      if (!(refusal instanceof Problem)) throw refusal;
      refuse(each, refusal);
    }
    if (index > 0 && write.added.length + write.removed.length > mostEntries) {
      throw problem.batchTooManyEntries(mostEntries);
    }
  }
  return write;
}

function add(write: BatchWrite, compiled: Compiled, { before, now }: Touched): void {
  if (before) write.expected.push([before.number, before.version]);
  if (before === now) return;
  const number = (before ?? now)?.number ?? 0;
  const { entries, unique } = rowsBeside(compiled, before, now);
  for (const value of unique.released) write.released.push([number, ...value]);
  for (const value of unique.taken) write.taken.push([number, ...value]);
  for (const [field, value] of entries.removed) write.removed.push([number, field, value]);
  for (const entry of entries.added) write.added.push([number, ...entry]);
  if (!now) {
    write.deleted.push(number);
    return;
  }
  const { number: ref, id, status, version, updatedAt } = now;
  const data = writtenData(compiled, before, now);
  (before ? write.changed : write.made).push({ ref, id, status, version, updatedAt, data });
}
