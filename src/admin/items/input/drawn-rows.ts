import type { Field, LineItemsField } from "../../../domain/definition/field";
import { problem } from "../../../domain/problem/problem";
import { textOf, type Sent } from "../../frame/sent";
import { mostSentCells } from "../rows-shown";

/** A row as it is drawn. */
export interface Row {
  /** Its place among what is stored; null for a new one. */
  was: number | null;
  removed: boolean;
  cells: Sent;
  isSent: boolean;
}

export const blankRow = (): Row => ({ was: null, removed: false, cells: {}, isSent: false });

const mostRows = 1000;

/** Refuses a form with more cells, all its lists together, than one can be drawn with again. */
export function refuseTooMany(fields: readonly Field[], sent: Sent): void {
  let cells = 0;
  for (const field of fields) {
    if (field.type !== "line_items") continue;
    cells += indexesOf(field, sent).length * field.fields.length;
    if (cells <= mostSentCells) continue;
    const reason = `A form has at most ${mostSentCells} cells, and up to this list there are ${cells}. A program can send them.`;
    throw problem.invalidInput([{ field: field.key, code: "too_many_rows", reason }]);
  }
}

/** The places of a list's rows in a form that was sent, each once. */
export const indexesOf = ({ key }: LineItemsField, sent: Sent): number[] => [
  ...new Set(
    Object.keys(sent)
      .filter((name) => name.startsWith(`${key}[`))
      .map((name) => Number(/\[(\d+)\]/.exec(name)?.[1])),
  ),
];

/** The rows that were sent, in order; those in which nothing was written are left out, as they are not stored. */
export function sentRows(field: LineItemsField, sent: Sent): Row[] {
  const { key, fields } = field;
  const rows = indexesOf(field, sent)
    .slice(0, mostRows)
    .flatMap((index): Row[] => {
      const at = `${key}[${index}].`;
      const cells = Object.fromEntries(fields.map((each) => [each.key, sent[at + each.key]]));
      const was = textOf(sent[`${at}#`]);
      const removed = sent[`${at}-`] !== undefined;
      const empty = Object.values(cells).every((value) => value === undefined || value === "");
      if (was === "" && empty) return [];
      return [{ was: was === "" ? null : Number(was), removed, cells, isSent: true }];
    });
  // What was wrong is told by the places of the rows that stay.
  return [...rows.filter(({ removed }) => !removed), ...rows.filter(({ removed }) => removed)];
}

export function storedRows(stored: unknown): Row[] {
  const rows = Array.isArray(stored) ? (stored as Sent[]) : [];
  return rows.map((cells, was) => ({ was, removed: false, cells, isSent: false }));
}
