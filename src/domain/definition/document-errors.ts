import { InexactNumber } from "../json";
import type { FieldError } from "../problem/problem";
import { invalid } from "./rules";

/** Members and entries of a document, on whatever level: more than any definition needs. */
const mostValues = 50_000;
const mostErrors = 100;

type Path = readonly (string | number)[];

/** What is wrong with a document before anybody reads it: too many values, or numbers that doubles do not hold. */
export function documentErrors(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const open: [value: unknown, path: Path][] = [[body, []]];
  let found = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, path] = next;
    if (value instanceof InexactNumber) {
      const reason = "A JSON number of double precision does not hold this exactly.";
      if (errors.length < mostErrors) errors.push(invalid(path, reason));
    } else if (typeof value === "object" && value !== null) {
      const within = Object.entries(value);
      found += within.length;
      if (found > mostValues) {
        return [invalid([], `A definition has at most ${mostValues} values.`)];
      }
      for (const [key, each] of within) {
        // A default is judged by its field.
        if (key === "default" || typeof each !== "object") continue;
        open.push([each, [...path, Array.isArray(value) ? Number(key) : key]]);
      }
    }
  }
  return errors;
}
