import { searchParams } from "../query";
import type { ItemsShown } from "./items-shown";

/** More of them would make an address too long. */
const longestTrail = 6000;

/** The ways to the pages before and behind this one. */
export function Pages({ base, query, next }: ItemsShown & { base: string }) {
  const at = (cursor: string | undefined, trail: readonly string[]) => {
    const params = searchParams(query);
    if (cursor !== undefined) params.set("cursor", cursor);
    if (trail.length > 0) params.set("trail", trail.join(" "));
    return `${base}?${params.toString()}`;
  };
  const { cursor, trail } = query;
  const behind = cursor === undefined ? [] : [...trail, cursor];
  const long = behind.join(" ").length > longestTrail;
  if (cursor === undefined && next === null) return null;
  return (
    <nav class="actions" aria-label="Pages">
      {cursor === undefined ? null : (
        <a class="button quiet" href={at(trail.at(-1), trail.slice(0, -1))} rel="prev">
          ← Previous
        </a>
      )}
      {next === null ? null : (
        <a class="button quiet" href={at(next, long ? [] : behind)} rel="next">
          Next →
        </a>
      )}
    </nav>
  );
}
