import type { TextField } from "../../definition/field";
import { lazyPattern, type MatchBudget } from "../../pattern/pattern";
import { storable, storedText } from "../../text";
import type { Scalar } from "../values";
import { wrongType, wrongFormat, type Fault } from "./fault";

/** What a check knows besides the value. */
interface Around {
  /** Whether the field has this value already; in rows, any of them. */
  hadBefore: (value: Scalar) => boolean;
  matching: MatchBudget;
}

/** Turns a sent value, never null or empty, into its stored form, or calls `fault` and gives undefined. */
export type Check = (value: unknown, fault: Fault, around: Around) => Scalar | string[] | undefined;

/** Strings are compared and kept in Unicode normal form C. */
export function stringCheck(
  then: (text: string, fault: Fault, around: Around) => string | undefined,
): Check {
  return (value, fault, around) => {
    if (typeof value !== "string") return wrongType("string", fault);
    const text = storedText(value);
    return text === undefined ? wrongFormat(storable, fault) : then(text, fault, around);
  };
}

export function textCheck({ min_length = 0, max_length, pattern: source }: TextField): Check {
  const pattern = source === undefined ? undefined : lazyPattern(source);
  return stringCheck((text, fault, { matching }) => {
    // A code point takes one or two UTF-16 units, so most texts need no counting.
    const length =
      text.length > max_length || text.length < min_length * 2 ? codePoints(text) : text.length;
    if (length > max_length) {
      return fault("too_long", `Must be at most ${max_length} characters long.`, { max_length });
    }
    if (length < min_length) {
      return fault("too_short", `Must be at least ${min_length} characters long.`, { min_length });
    }
    if (pattern === undefined) return text;
    const matched = pattern.matches(text, matching);
    if (matched === undefined) return fault("too_complex", tooLongToMatch);
    if (matched) return text;
    return fault("invalid_format", `Must match the pattern ${source}.`, { pattern: source });
  });
}

const tooLongToMatch =
  "Matching the patterns of this item takes too long: send shorter texts, or fewer rows.";

function codePoints(text: string): number {
  return Array.from(text).length;
}
