import * as z from "zod/mini";
import type { FieldErrorCode } from "#domain/problem/problem.ts";
import { nearestDateTime, dayWithOffset, utcDateTime } from "#domain/time.ts";
import type { TextField, NumberField, Option, ComputedField, RowField } from "#domain/definition/field.ts";
import { lazyPattern, type MatchBudget } from "#domain/pattern/pattern.ts";
import { storable, storedText } from "#domain/text.ts";
import type { Scalar } from "./values.ts";
import { InexactNumber } from "#domain/json.ts";
import { oneOf } from "#domain/problem/field-errors.ts";

/** Says what is wrong with the value at hand; `details` become members of the field error. */
export type Fault = (
  code: FieldErrorCode,
  reason: string,
  details?: Record<string, unknown>,
) => undefined;

export function wrongType(expected: string, fault: Fault): undefined {
  return fault("invalid_type", `Must be of type ${expected}.`, { expected });
}

export function wrongFormat(expected: string, fault: Fault): undefined {
  return fault("invalid_format", `Must be ${expected}.`);
}

export function wrongDate(text: string, fault: Fault): undefined {
  const near = nearestDateTime(text, "date");
  return near === undefined
    ? wrongFormat("a calendar day like 2026-11-21, 2026-11-21Z or 2026-11-21+09:00", fault)
    : wrongFormat(`a calendar day, with or without an offset, like "${near}"`, fault);
}

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

/** Whole numbers beyond this are not told apart by JSON's doubles. */
const largest = Number.MAX_SAFE_INTEGER;

export function numberCheck(field: NumberField): Check {
  const minimum = Math.max(field.minimum ?? -largest, -largest);
  const maximum = Math.min(field.maximum ?? largest, largest);
  const { integer, decimals } = field;
  return (value, fault) => {
    if (value instanceof InexactNumber) return notExact(value, fault);
    if (typeof value !== "number") return wrongType("number", fault);
    if (value < minimum) return fault("too_small", `Must be at least ${minimum}.`, { minimum });
    if (value > maximum) return fault("too_large", `Must be at most ${maximum}.`, { maximum });
    if (integer && !Number.isInteger(value)) {
      return fault("invalid_type", "Must be a whole number.", { expected: "integer" });
    }
    if (decimals !== undefined && decimalsOf(value) > decimals) {
      const most = decimals === 1 ? "1 decimal" : `${decimals} decimals`;
      return fault("too_many_decimals", `Must have at most ${most}.`, { decimals });
    }
    // Minus zero has no place in JSON.
    return value === 0 ? 0 : value;
  };
}

function notExact({ source }: InexactNumber, fault: Fault): undefined {
  const nearest = Number(source);
  const held = Number.isFinite(nearest) ? `; the nearest that it holds is ${nearest}` : "";
  return fault("not_exact", `A JSON number of double precision does not hold this exactly${held}.`);
}

/** The decimals that the shortest decimal form of a number has: 30.25 has 2, 1e-7 has 7. */
export function decimalsOf(value: number): number {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const fraction = digits.split(".")[1]?.length ?? 0;
  return Math.max(0, fraction - Number(exponent));
}

const emailSchema = z.email();
const longestAddress = 2000;

export function isEmail(text: string): boolean {
  return text.length <= 254 && emailSchema.safeParse(text).success;
}

export function isUrl(text: string): boolean {
  return text.length <= longestAddress && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

export const phoneForm =
  "a phone number: 5 to 15 digits, with an optional leading +, spaces, dots, dashes and brackets";

export function isPhone(text: string): boolean {
  const digits = text.replace(/[ ().\-/]/g, "");
  return text.length <= 40 && /^\+?[0-9]{5,15}$/.test(digits);
}

export function selectCheck(options: Option[]): Check {
  const values = options.map((option) => option.value);
  const known = new Set(values);
  return stringCheck((text, fault) => (known.has(text) ? text : notAnOption(values, fault)));
}

function notAnOption(values: string[], fault: Fault): undefined {
  return fault("not_an_option", `Must be one of ${oneOf(values)}.`, {
    options: values.slice(0, 100),
  });
}

export function multiSelectCheck(options: Option[]): Check {
  const values = options.map((option) => option.value);
  const known = new Set(values);
  return (value, fault, { hadBefore }) => {
    if (!Array.isArray(value) || value.some((entry) => typeof entry !== "string")) {
      return wrongType("array of strings", fault);
    }
    const sent = (value as string[]).map(storedText);
    if (!sent.every((entry) => entry !== undefined)) return wrongFormat(storable, fault);
    // Options that are no more can stay where they are.
    if (sent.some((entry) => !known.has(entry) && !hadBefore(entry))) {
      return notAnOption(values, fault);
    }
    if (new Set(sent).size < sent.length) return wrongFormat("an array of distinct values", fault);
    return sent;
  };
}

/** The rules of one field, ready to be applied. `zone` is the time zone of the collection. */
export function scalarCheck(field: Exclude<RowField, ComputedField>, zone: string): Check {
  switch (field.type) {
    case "text":
    case "multiline_text":
      return textCheck(field);
    case "number":
      return numberCheck(field);
    case "boolean":
      return (value, fault) => (typeof value === "boolean" ? value : wrongType("boolean", fault));
    case "date":
      return stringCheck((text, fault) => dayWithOffset(text, zone) ?? wrongDate(text, fault));
    case "datetime":
      return stringCheck(dateTimeOf);
    case "email":
      return stringCheck((text, fault) =>
        isEmail(text) ? text : wrongFormat("an e-mail address", fault),
      );
    case "url":
      return stringCheck((text, fault) =>
        isUrl(text) ? text : wrongFormat("an absolute http or https URL", fault),
      );
    case "phone":
      return stringCheck((text, fault) => (isPhone(text) ? text : wrongFormat(phoneForm, fault)));
    case "select":
      return selectCheck(field.options);
    case "multi_select":
      return multiSelectCheck(field.options);
  }
}

function dateTimeOf(text: string, fault: Fault): string | undefined {
  const parsed = utcDateTime(text);
  if ("value" in parsed) return parsed.value;
  const near = nearestDateTime(text, "datetime") ?? "2026-11-21T09:30:00+09:00";
  return parsed.fault === "time_zone_required"
    ? fault(parsed.fault, `Must end with an offset, Z or one like +09:00: for example "${near}".`)
    : wrongFormat(`an RFC 3339 date-time with an offset, like "${near}"`, fault);
}
