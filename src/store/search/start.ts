import { digestOf, type Position } from "../../domain/cursor";
import type { Comparable, Sort } from "../../domain/search/tree";
import { attempt } from "../db/attempt";
import { sortSql } from "./sql/value";

/** Where a page begins: strictly behind the values of the sort keys, null where empty, and the item's number. */
export interface Start {
  values: (Comparable | null)[];
  number: number;
  /**
   * The sort key of whose value only the beginning is known, as the item that had it has gone or changed. Then the page
   * begins where such values do: items may be repeated, never skipped.
   */
  from: number | null;
}

/** Where the page behind a position begins: of texts that were cut the whole is read again, where their item still has them. */
export async function resolveStart(
  db: D1Database,
  sort: readonly Sort[],
  position: Position,
): Promise<Start> {
  const number = Number(position.at(-1));
  const kept = position.slice(0, -1);
  const now = kept.some(Array.isArray) ? await readSortValues(db, sort, number) : {};
  const values: (Comparable | null)[] = [];
  for (const [index, value] of kept.entries()) {
    if (!Array.isArray(value)) {
      values.push(value);
      continue;
    }
    const [start, digest] = value;
    const text = now[`k${index}`];
    if (typeof text !== "string" || (await digestOf(text)) !== digest) {
      return { values: [...values, start], number, from: index };
    }
    values.push(text);
  }
  return { values, number, from: null };
}

async function readSortValues(
  db: D1Database,
  sort: readonly Sort[],
  number: number,
): Promise<Record<string, unknown>> {
  const columns = sort.map(({ field }, index) => `${sortSql(field)} as k${index}`);
  const select = db.prepare(`select ${columns.join(", ")} from item i where i.number = ?1`);
  const row = await attempt(() => select.bind(number).first());
  return row ?? {};
}

/** The first text behind all that begin with this one, in the order of code points; undefined where there is none. */
export function behindAll(start: string): string | undefined {
  const points = Array.from(start, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10_ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are no characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
}
