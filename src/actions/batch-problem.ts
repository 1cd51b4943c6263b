import { jsonPointer } from "#domain/problem/field-errors.ts";
import { Problem, type FieldError, problem } from "#domain/problem/problem.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { BatchOperation } from "#domain/item/body.ts";

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
  // The pointer contains the operation. An error of the whole operation has no field.
  return [{ field: "", pointer: jsonPointer(path), code, reason: detail, ...members }];
}

/** Assigns the errors of malformed operations to their operations. */
export function shapeProblems(errors: readonly FieldError[]): OperationProblem[] {
  return errors.map((error) => {
    const [, index = "0", pointer = ""] =
      /^\/operations\/(\d+)(.*)$/.exec(error.pointer ?? "") ?? [];
    // The pointer already contains the operation, so the field is relative to the operation.
    const field = error.field.replace(/^operations\[\d+\]\.?/, "");
    const relative = { ...error, field, pointer };
    return { index: Number(index), problem: problem.invalidInput([relative]) };
  });
}
