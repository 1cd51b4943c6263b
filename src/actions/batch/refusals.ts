import { errorAt } from "../../domain/problem/field-errors";
import { Problem, type FieldError } from "../../domain/problem/problem";
import type { ProblemCode } from "../../domain/problem/problem-catalogue";

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
