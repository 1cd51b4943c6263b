import type { RowOutcome } from "../../../actions/batch/import-rows";
import type { Collection } from "../../../domain/definition/collection";
import type { CsvLine } from "../../../domain/import/csv";
import { Problem, type FieldError } from "../../../domain/problem/problem";
import type { Import } from "./file";

/** What is wrong with a row: with one of its columns, or with the whole of it (−1). */
export interface Fault {
  column: number;
  /** The column's heading, and where in its value; empty for the whole row. */
  place: string;
  reason: string;
}

export interface Refused {
  row: CsvLine;
  faults: Fault[];
}

export function refusedRows(
  { csv, plan }: Import,
  outcomes: readonly RowOutcome[],
  collection: Collection,
): Refused[] {
  return outcomes.flatMap((outcome, index): Refused[] => {
    const row = csv.rows[index];
    if (!(outcome instanceof Problem) || !row) return [];
    return [{ row, faults: faultsOf(outcome, plan.columns, collection) }];
  });
}

function faultsOf(
  { detail, members }: Problem,
  columns: readonly string[],
  { definition }: Collection,
): Fault[] {
  const own = members["field"] === undefined ? [] : [{ ...members, reason: detail }];
  const errors = (members["errors"] ?? own) as Pick<FieldError, "field" | "reason">[];
  if (errors.length === 0) return [{ column: -1, place: "", reason: detail }];
  return errors.map(({ field, reason }) => {
    const name = field.replace(/^operations\[\d+\]\.?(data\.)?/, "");
    const [key = "", rest = ""] = /^([^.[]*)(.*)$/.exec(name)?.slice(1) ?? [];
    const label = definition.fields.fields.find((each) => each.key === key)?.label ?? key;
    const target = key === "id" || key === "status" ? `$${key}` : key;
    return {
      column: columns.indexOf(columns.includes(key) ? key : target),
      place: label === "" ? "" : `${label}${rest}`,
      reason: reason.replace(`"${key}"`, `“${label}”`),
    };
  });
}

export const told = ({ place, reason }: Fault) => (place === "" ? reason : `${place}: ${reason}`);
