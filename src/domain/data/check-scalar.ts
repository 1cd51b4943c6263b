import * as z from "zod/mini";
import type { FieldErrorCode } from "#domain/problem/field-errors.ts";
import { suggestDateTime, dayWithOffset, toUtcDateTime } from "#domain/time.ts";
import type {
  TextField,
  NumberField,
  FieldOption,
  ComputedField,
  ReferenceField,
  RowField,
} from "#domain/definition/field.ts";
import { lazyPattern, type MatchBudget } from "#domain/pattern/pattern.ts";
import { notStorableReason, toStoredText } from "#domain/text.ts";
import { isRecordId, UnknownReference } from "./references.ts";
import type { Scalar } from "./values.ts";
import { describeInexactNumber, InexactNumber } from "#domain/json.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import { lazy } from "#domain/lazy.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/**
 * Reports an error of the current value, or of its element at `index`. `details` become members of the field error.
 */
export type ErrorReporter = (
  code: FieldErrorCode,
  reason: string,
  details?: Record<string, unknown>,
  index?: number,
) => undefined;

const typeReasons = {
  string: reasonFor("notText"),
  number: reasonFor("notNumber"),
  boolean: reasonFor("notBoolean"),
  "array of strings": reasonFor("notTextArray"),
};

const reportInvalidType = (expected: keyof typeof typeReasons, report: ErrorReporter): undefined =>
  report("invalid_type", typeReasons[expected], { expected });

const reportInvalidFormat = (reason: Reason, report: ErrorReporter): undefined =>
  report("invalid_format", reason);

function reportInvalidDate(text: string, report: ErrorReporter): undefined {
  const suggestion = suggestDateTime(text, "date");
  return suggestion === undefined
    ? reportInvalidFormat(reasonFor("notDate"), report)
    : reportInvalidFormat(reasonFor("notDateLike", { example: suggestion }), report);
}

/** The inputs of a check besides the value. */
interface CheckContext {
  /** Whether the field already has this value. In rows, whether any row has it. */
  hadBefore: (value: Scalar) => boolean;
  matchBudget: MatchBudget;
}

/** Converts a value that is not empty to its stored form, or calls `report` and returns undefined. */
export type Check = (
  value: unknown,
  report: ErrorReporter,
  context: CheckContext,
) => Scalar | string[] | undefined;

/** Strings are compared and stored in Unicode normal form C. */
function stringCheck(
  check: (text: string, report: ErrorReporter, context: CheckContext) => string | undefined,
): Check {
  return (value, report, context) => {
    if (typeof value !== "string") return reportInvalidType("string", report);
    const text = toStoredText(value);
    return text === undefined
      ? reportInvalidFormat(notStorableReason, report)
      : check(text, report, context);
  };
}

function textCheck({ min_length = 0, max_length, pattern: source }: TextField): Check {
  const pattern = source === undefined ? undefined : lazyPattern(source);
  return stringCheck((text, report, { matchBudget }) => {
    // A code point takes one or two UTF-16 units, so most texts need no counting.
    const length =
      text.length > max_length || text.length < min_length * 2
        ? codePointLength(text)
        : text.length;
    if (length > max_length) {
      return report("too_long", reasonFor("tooLong", { maximum: max_length }), { max_length });
    }
    if (length < min_length) {
      return report("too_short", reasonFor("tooShort", { minimum: min_length }), { min_length });
    }
    if (pattern === undefined) return text;
    const matches = pattern.matches(text, matchBudget);
    if (matches === undefined) return report("too_complex", tooComplexReason);
    if (matches) return text;
    return report("invalid_format", reasonFor("mismatch", { pattern: String(source) }), {
      pattern: source,
    });
  });
}

const tooComplexReason =
  "Checking the patterns of this item takes too long. Send shorter texts or fewer rows.";

function codePointLength(text: string): number {
  return Array.from(text).length;
}

/** Doubles cannot represent every whole number above this value. */
const maxAbsoluteValue = Number.MAX_SAFE_INTEGER;

function numberCheck(field: NumberField): Check {
  const minimum = Math.max(field.minimum ?? -maxAbsoluteValue, -maxAbsoluteValue);
  const maximum = Math.min(field.maximum ?? maxAbsoluteValue, maxAbsoluteValue);
  const { integer, decimals } = field;
  return (value, report) => {
    if (value instanceof InexactNumber) return reportInexactNumber(value, report);
    if (typeof value !== "number") return reportInvalidType("number", report);
    if (value < minimum)
      return report("too_small", reasonFor("tooSmall", { minimum }), { minimum });
    if (value > maximum)
      return report("too_large", reasonFor("tooLarge", { maximum }), { maximum });
    if (integer && !Number.isInteger(value)) {
      return report("invalid_type", reasonFor("notWholeNumber"), { expected: "integer" });
    }
    if (decimals !== undefined && decimalsOf(value) > decimals) {
      const reason =
        decimals === 1 ? reasonFor("oneDecimal") : reasonFor("tooManyDecimals", { decimals });
      return report("too_many_decimals", reason, { decimals });
    }
    // JSON.stringify loses the sign of minus zero.
    return value === 0 ? 0 : value;
  };
}

function reportInexactNumber(value: InexactNumber, report: ErrorReporter): undefined {
  return report("not_exact", describeInexactNumber(value));
}

/** Returns the number of decimals in a number's shortest decimal form: 30.25 has 2, 1e-7 has 7. */
export function decimalsOf(value: number): number {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const fraction = digits.split(".")[1]?.length ?? 0;
  return Math.max(0, fraction - Number(exponent));
}

const emailSchema = lazy(() => z.email());
const maxUrlLength = 2000;

function isEmail(text: string): boolean {
  return text.length <= 254 && emailSchema().safeParse(text).success;
}

function isUrl(text: string): boolean {
  return text.length <= maxUrlLength && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

function isPhone(text: string): boolean {
  const digits = text.replace(/[ ().\-/]/g, "");
  return text.length <= 40 && /^\+?[0-9]{5,15}$/.test(digits);
}

function selectCheck(options: FieldOption[]): Check {
  const values = options.map((option) => option.value);
  const valueSet = new Set(values);
  return stringCheck((text, report) =>
    valueSet.has(text) ? text : reportUnknownOption(values, report),
  );
}

function reportUnknownOption(values: string[], report: ErrorReporter): undefined {
  return report("not_an_option", reasonFor("notOneOf", { choices: formatChoices(values) }), {
    options: values.slice(0, 100),
  });
}

function multiSelectCheck(options: FieldOption[]): Check {
  const values = options.map((option) => option.value);
  const valueSet = new Set(values);
  return (value, report, { hadBefore }) => {
    if (!Array.isArray(value)) return reportInvalidType("array of strings", report);
    const seen = new Set<string>();
    const checkEntry = (entry: unknown, reportEntry: ErrorReporter): string | undefined => {
      if (typeof entry !== "string") return reportInvalidType("string", reportEntry);
      const text = toStoredText(entry);
      if (text === undefined) return reportInvalidFormat(notStorableReason, reportEntry);
      // Items may keep options that were removed.
      if (!valueSet.has(text) && !hadBefore(text)) return reportUnknownOption(values, reportEntry);
      if (seen.has(text)) {
        return reportEntry("invalid_format", reasonFor("listedTwice", { value: truncate(text) }));
      }
      seen.add(text);
      return text;
    };
    return checkEntries(value, checkEntry, report);
  };
}

/** The maximum number of elements of one list for which errors are reported. */
const maxElementErrors = 100;

/** Checks each element of a list. Errors name the index of their element. */
function checkEntries(
  entries: readonly unknown[],
  check: (entry: unknown, report: ErrorReporter) => string | undefined,
  report: ErrorReporter,
): string[] | undefined {
  const texts: string[] = [];
  let errorCount = 0;
  for (const [index, entry] of entries.entries()) {
    if (errorCount >= maxElementErrors) break;
    const text = check(entry, (code, reason, details) => report(code, reason, details, index));
    if (text === undefined) errorCount += 1;
    else texts.push(text);
  }
  return errorCount > 0 ? undefined : texts;
}

/** Builds the check of one field. `zone` is the time zone of the collection. */
export function buildScalarCheck(field: Exclude<RowField, ComputedField>, zone: string): Check {
  switch (field.type) {
    case "text":
    case "multiline_text":
      return textCheck(field);
    case "number":
      return numberCheck(field);
    case "boolean":
      return (value, report) =>
        typeof value === "boolean" ? value : reportInvalidType("boolean", report);
    case "date":
      return stringCheck(
        (text, report) => dayWithOffset(text, zone) ?? reportInvalidDate(text, report),
      );
    case "datetime":
      return stringCheck(checkDateTime);
    case "email":
      return stringCheck((text, report) =>
        isEmail(text) ? text : reportInvalidFormat(reasonFor("notEmail"), report),
      );
    case "url":
      return stringCheck((text, report) =>
        isUrl(text) ? text : reportInvalidFormat(reasonFor("notUrl"), report),
      );
    case "phone":
      return stringCheck((text, report) =>
        isPhone(text) ? text : reportInvalidFormat(reasonFor("notPhone"), report),
      );
    case "select":
      return selectCheck(field.options);
    case "multi_select":
      return multiSelectCheck(field.options);
    case "reference":
      return referenceCheck(field);
  }
}

/**
 * Names have already been replaced by IDs (`mapReferences`). The batch that stores an ID checks that its record exists.
 */
function referenceCheck({ app }: ReferenceField): Check {
  return (value, report, { hadBefore }) => {
    const reportUnknown = () => report("unknown_reference", unknownReferenceReason(app));
    if (value instanceof UnknownReference)
      return value.id !== null && hadBefore(value.id) ? value.id : reportUnknown();
    if (typeof value === "string") return isRecordId(value) ? value : reportUnknown();
    const reason =
      'Must be the ID or the receipt number of a record, or an object with one unique field, like { "email": "yamada@example.com" }.';
    return report("invalid_type", reason, { expected: "string" });
  };
}

/** One reason for every cause, so that it reveals nothing about records that the caller may not see. */
export const unknownReferenceReason = (app: string): Reason =>
  reasonFor("unknownReference", { app });

function checkDateTime(text: string, report: ErrorReporter): string | undefined {
  const result = toUtcDateTime(text);
  if ("value" in result) return result.value;
  const suggestion = suggestDateTime(text, "datetime") ?? "2026-11-21T09:30:00+09:00";
  return result.errorCode === "time_zone_required"
    ? report(result.errorCode, reasonFor("noOffset", { example: suggestion }))
    : reportInvalidFormat(reasonFor("notDateTime", { example: suggestion }), report);
}
