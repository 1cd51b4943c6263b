import { jsonPointer } from "#domain/problem/field-errors.ts";
import { Problem, type FieldError, problem } from "#domain/problem/problem.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { Warning } from "#domain/data/values.ts";
import { fileChanges } from "#domain/files/file-changes.ts";
import { mayHaveFiles } from "#domain/files/sent-file.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import {
  type Item,
  buildItemView,
  type ItemView,
  formatReceiptNumber,
  utf8Length,
} from "#domain/item/item.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";
import type { AssignedValues } from "#store/data/replays.ts";
import type {
  SimulatedOperation,
  BatchSimulation,
  PlannedChange,
  TouchedItem,
} from "./batch-simulation.ts";
import { shownData, visibleWarnings } from "./narrow-write.ts";
import { buildIndexRowChanges, serializeData } from "#domain/item/change.ts";

/** The problem that rejects one operation of a batch. */
export interface OperationProblem {
  index: number;
  problem: Problem;
}

/** The problem of a rejected batch, with the problems of its operations. */
export class BatchProblem extends Problem {
  readonly operationProblems: readonly OperationProblem[];

  constructor(
    { code, members, headers }: Problem,
    detail: string,
    operationProblems: readonly OperationProblem[],
  ) {
    super(code, detail, members, headers);
    this.operationProblems = operationProblems;
  }
}

/** The order of checks. The first failed check decides the status of the batch. */
const problemPrecedence: readonly ProblemCode[] = [
  "not_found",
  "too_large",
  "version_mismatch",
  "submission_closed",
  "submissions_closed",
  "invalid_input",
];
const maxErrors = 100;

/** Combines the problems of a batch into one, whose `errors` point to the operations. */
export function buildBatchProblem(
  operationProblems: readonly OperationProblem[],
  queryErrors: readonly FieldError[] = [],
): BatchProblem {
  const rank = ({ problem: cause }: OperationProblem) => {
    const index = problemPrecedence.indexOf(cause.code);
    return index === -1 ? problemPrecedence.length : index;
  };
  const [first] = operationProblems.toSorted((a, b) => rank(a) - rank(b) || a.index - b.index);
  if (!first) throw new Error("A batch is refused for nothing.");
  const errors = operationProblems.toSorted((a, b) => a.index - b.index).flatMap(operationErrors);
  const { code, members, headers } = first.problem;
  const count = new Set(operationProblems.map(({ index }) => index)).size;
  const detail = `${count === 1 ? "1 operation is" : `${count} operations are`} invalid. Nothing was stored.`;
  const listedErrors = [...queryErrors, ...errors].slice(0, maxErrors);
  const firstProblem = new Problem(code, detail, { ...members, errors: listedErrors }, headers);
  return new BatchProblem(firstProblem, detail, operationProblems);
}

/** Adds the problem of a closed form for each operation that may create an item. */
export function withClosedForm(
  cause: Problem,
  operations: readonly (BatchOperation | null)[],
  reason: Parameters<typeof problem.submissionsClosed>[0],
): Problem {
  const closedProblems = operations.flatMap((operation, index) =>
    operation?.op === "create" || operation?.op === "upsert"
      ? [{ index, problem: problem.submissionsClosed(reason) }]
      : [],
  );
  if (closedProblems.length === 0) return cause;
  const otherProblems = cause instanceof BatchProblem ? cause.operationProblems : [];
  return buildBatchProblem([...otherProblems, ...closedProblems]);
}

function operationErrors({ index, problem: cause }: OperationProblem): object[] {
  const { code, detail, members } = cause;
  if (code === "invalid_input") {
    return (members["errors"] as FieldError[]).map((error) => ({
      ...error,
      pointer: `/operations/${index}${error.pointer ?? ""}`,
    }));
  }
  const key = code === "duplicate" ? members["field"] : undefined;
  const path = ["operations", index, ...(typeof key === "string" ? ["data", key] : [])];
  // The pointer names the operation. An error of the operation as a whole has no field.
  return [{ field: "", pointer: jsonPointer(path), code, reason: detail, ...members }];
}

/** The result of one operation. */
export interface OperationResult {
  op: BatchOperation["op"];
  outcome: SimulatedOperation["outcome"];
  id: string;
  /** Records only. */
  receiptNumber: string | null;
  version: number;
  warnings: readonly Warning[];
  /** The item after the whole batch; null when it is deleted, and in a replay. */
  view: ItemView | null;
}

/** The response as stored for replays, without the items. */
interface StoredBatchResponse {
  prefix: string | null;
  results: (Omit<OperationResult, "view" | "receiptNumber"> & {
    /** The receipt number, or the position among the items that the batch created. */
    receipt: string | number | null;
  })[];
}

/** The first response, with the items after the whole batch. */
export type BatchResponse = StoredBatchResponse & { items?: (Item | null)[] };

export function buildBatchResponse(
  { receiptPrefix }: BatchWrite,
  results: readonly SimulatedOperation[],
): StoredBatchResponse {
  return {
    prefix: receiptPrefix,
    results: results.map(({ op, outcome, item, version, warnings }) => {
      const { id, number, receiptNumber: receipt } = item.lastState;
      return { op, outcome, id, version, warnings, receipt: number < 0 ? -number : receipt };
    }),
  };
}

export function toOperationResults(
  access: CollectionAccess,
  { prefix, results, items }: BatchResponse,
  { place, createdAt }: AssignedValues,
): OperationResult[] {
  return results.map(({ receipt, ...result }, index) => {
    const createdIndex = typeof receipt === "number" ? receipt - 1 : null;
    const assignedNumber =
      createdIndex === null || prefix === null
        ? null
        : formatReceiptNumber(prefix, place + createdIndex);
    const number = typeof receipt === "string" ? receipt : assignedNumber;
    const item = items?.[index];
    const times =
      createdIndex === null
        ? {}
        : { createdAt: createdAt + createdIndex, updatedAt: createdAt + createdIndex };
    const view = item && buildItemView({ ...item, ...times, receiptNumber: number }, access);
    const warnings = visibleWarnings(access, result.warnings);
    return { ...result, warnings, receiptNumber: number, view: view ?? null };
  });
}

/** The limit for the index rows that a batch changes. It exempts the first item, because a single write has no limit. */
const maxEntries = 60_000;

/**
 * Builds the write of a simulated batch. Passes the problem of an oversized item to `rejectItem`. Throws when the whole
 * batch is too large.
 */
export function buildBatchWrite(
  compiled: CompiledCollection,
  { touchedItems, changes, needsOpenForm, maxAddedItems }: BatchSimulation,
  now: number,
  batchId: string,
  rejectItem: (item: TouchedItem, cause: Problem) => void,
): BatchWrite {
  const { kind, version: definitionVersion, revision, definition } = compiled.collection;
  const write: BatchWrite = {
    revision,
    definitionVersion,
    batchId,
    now,
    receiptPrefix: kind === "app" ? definition.receipt_prefix : null,
    needsOpenForm,
    maxAddedItems,
    expectedVersions: [],
    uniqueValuesToRemove: [],
    uniqueValuesToAdd: [],
    entriesToRemove: [],
    entriesToAdd: [],
    createdItems: [],
    updatedItems: [],
    deletedNumbers: [],
    references: [],
    files: touchedItems.flatMap(filesOf),
    mayHaveFiles: mayHaveFiles(definition.fields),
    changes: changes.map(toWrittenChange),
  };
  for (const [index, touchedItem] of touchedItems.entries()) {
    try {
      addItemWrite(write, compiled, touchedItem);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      rejectItem(touchedItem, error);
    }
    if (index > 0 && write.entriesToAdd.length + write.entriesToRemove.length > maxEntries) {
      throw problem.batchTooManyEntries(maxEntries);
    }
  }
  return write;
}

const toWrittenChange = ({
  item: { lastState, current },
  action,
  version,
  diff,
  views,
}: PlannedChange): BatchWrite["changes"][number] => ({
  views,
  ref: lastState.number,
  id: lastState.id,
  action,
  version,
  fields: JSON.stringify(diff.fields),
  former: current === null || action.endsWith(".create") ? null : JSON.stringify(diff.former),
});

const filesOf = ({ before, lastState, current, states }: TouchedItem): BatchWrite["files"] =>
  current && states.length > 0
    ? [{ item: lastState.id, ...fileChanges(before?.data ?? {}, states) }]
    : [];

function addItemWrite(
  write: BatchWrite,
  compiled: CompiledCollection,
  { before, current }: TouchedItem,
): void {
  if (before) write.expectedVersions.push([before.number, before.version]);
  if (before === current) return;
  const number = (before ?? current)?.number ?? 0;
  const { entries, uniqueValues } = buildIndexRowChanges(compiled, before, current);
  for (const value of uniqueValues.toRemove) write.uniqueValuesToRemove.push([number, ...value]);
  for (const value of uniqueValues.toAdd) write.uniqueValuesToAdd.push([number, ...value]);
  for (const [field, value] of entries.toRemove) write.entriesToRemove.push([number, field, value]);
  for (const entry of entries.toAdd) write.entriesToAdd.push([number, ...entry]);
  if (!current) {
    write.deletedNumbers.push(number);
    return;
  }
  const { number: ref, id, status, version, updatedAt } = current;
  const data = serializeData(compiled, before, current);
  (before ? write.updatedItems : write.createdItems).push({
    ref,
    id,
    status,
    version,
    updatedAt,
    data,
  });
}

/** The limit for the data of the items in a response. */
const maxReturnedBytes = 2_000_000;

/** Throws 413 when the items of a response are too large together. */
export function assertReturnable(
  access: CollectionAccess,
  results: readonly SimulatedOperation[],
): void {
  let bytes = 0;
  for (const { item } of results) {
    bytes += item.current ? utf8Length(JSON.stringify(shownData(access, item.current.data))) : 0;
    if (bytes > maxReturnedBytes) throw problem.batchReturnsTooMuch(maxReturnedBytes);
  }
}

/** Assigns the errors of malformed operations to their operations. */
export function shapeProblems(errors: readonly FieldError[]): OperationProblem[] {
  return errors.map((error) => {
    const [, index = "0", pointer = ""] =
      /^\/operations\/(\d+)(.*)$/.exec(error.pointer ?? "") ?? [];
    // The pointer already names the operation, so the field is relative to it.
    const field = error.field.replace(/^operations\[\d+\]\.?/, "");
    const relative = { ...error, field, pointer };
    return { index: Number(index), problem: problem.invalidInput([relative]) };
  });
}
