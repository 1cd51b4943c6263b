import { isObject } from "./json";

/** JSON with sorted keys, so that two writings of one body are the same. */
export function canonical(body: unknown): string {
  try {
    return JSON.stringify(body, sortKeys);
  } catch {
    // Nested beyond the stack: no body of ours is, so whatever it is, it is refused later on.
    return "";
  }
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
