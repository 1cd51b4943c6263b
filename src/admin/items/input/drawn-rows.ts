import type { LineItemsField } from "../../../domain/definition/field";
import { textOf, type Sent } from "../../frame/sent";

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

/** The rows that were sent, in order; those in which nothing was written are left out, as they are not stored. */
export function sentRows({ key, fields }: LineItemsField, sent: Sent): Row[] {
  const indexes = Object.keys(sent)
    .filter((name) => name.startsWith(`${key}[`))
    .map((name) => Number(/\[(\d+)\]/.exec(name)?.[1]));
  const rows = [...new Set(indexes)].slice(0, mostRows).flatMap((index): Row[] => {
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
