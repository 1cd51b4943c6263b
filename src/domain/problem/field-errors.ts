import type * as z from "zod/mini";
import type { FieldError, Problem } from "./problem.ts";

type Path = readonly (string | number)[];

/** Formats `["lines", 1, "qty"]` as `lines[1].qty`, for people. */
function formatPath(path: Path): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? truncate(step) : `${name}.${truncate(step)}`;
  }, "");
}

/** A JSON Pointer (RFC 6901): `["lines", 1]` is `/lines/1`. */
export function jsonPointer(path: Path): string {
  return path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** Builds an error at `path` of the body. `field` omits the leading `data`, which contains every value. */
export function errorAt(
  path: Path,
  code: FieldErrorCode,
  reason: string,
  details: Record<string, unknown> = {},
): FieldError {
  const fieldPath = path[0] === "data" && path.length > 1 ? path.slice(1) : path;
  return { field: formatPath(fieldPath), pointer: jsonPointer(path), code, reason, ...details };
}

/** The problem with pointers at the parameters that the request has as members of its body. */
export function pointAtMembers(failure: Problem): Problem {
  const errors = failure.members["errors"] as FieldError[] | undefined;
  if (!errors) return failure;
  const pointing = errors.map(({ field, ...error }): FieldError => ({
    field,
    pointer: jsonPointer([field]),
    ...error,
  }));
  return failure.withErrors(pointing);
}

/** Shortens text from the caller before a sentence quotes it. */
export function truncate(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Formats choices as `"a", "b", "c"`, at most 20 of them. */
export function formatChoices(values: readonly string[]): string {
  const choices = values.slice(0, 20).map((value) => `"${truncate(value)}"`);
  const suffix = values.length > 20 ? ` and ${values.length - 20} more` : "";
  return choices.join(", ") + suffix;
}

/** The meaning of each code in `errors`, for the page about `invalid_input`. docs/errors.md has the same table. */
export const fieldErrorMeanings = {
  required: "A required field has no value, or the request clears it.",
  unknown_field:
    "The definition or the body has no such key. `renamed_to` is the current key of a renamed field.",
  invalid_type:
    "The value has the wrong JSON type, or is not a whole number. `expected` names the type.",
  invalid_format: "The type is right, but the format is wrong. `reason` describes the format.",
  too_short: "The text has fewer characters than `min_length`.",
  too_long: "The text has more characters than `max_length`.",
  too_small: "The number is below the `minimum`.",
  too_large: "The number is above the `maximum`.",
  too_many_decimals: "The number has more decimals than `decimals`.",
  not_an_option: "The value is not one of the field's `options`.",
  too_few_rows: "The list has fewer rows than `min_rows`.",
  too_many_rows: "The list has more rows than `max_rows`.",
  time_zone_required: "A date-time has no offset like Z or +09:00.",
  invalid_status: "The item cannot change to this status. `allowed` lists the possible statuses.",
  unknown_parameter: "The route has no such query parameter.",
  out_of_range:
    "`limit` is not between `minimum` and `maximum`, or differs between query and body. Or a figure of an aggregate is beyond the range of a double.",
  not_exact: "A double-precision number cannot represent this number exactly.",
  invalid_cursor:
    "The cursor is damaged, or belongs to another route, other conditions or another sort.",
  invalid_condition:
    "A search or an aggregate names an unknown field or operator, or an invalid value. `allowed` lists the alternatives.",
  too_complex:
    "A search or an aggregate exceeds its limits, or the patterns and formulas take too long for this request.",
  invalid_definition: "A part of a definition violates a rule or contradicts another part.",
  unknown_reference:
    "No record has this ID, receipt number or unique value, or the credential may not refer to it.",
  outside_view:
    "The item would not match the view of the credential after the write, or a field that the view hides would be invalid.",
  unknown_file: "No file has this ID, or the credential did not upload it for this field.",
  file_incomplete: "The content of the file was not uploaded yet.",
  file_in_use: "The file belongs to another item.",
  too_many_files: "The list has more files than `max_files`.",
  not_accepted:
    "The content of the file is of a type that is not in `accept`, or exceeds `max_bytes`.",
  digest_mismatch:
    "The content does not have the `bytes` or the `sha256` that the file was created with.",
} as const;

export type FieldErrorCode = keyof typeof fieldErrorMeanings;
export const fieldErrorCodes = Object.keys(fieldErrorMeanings) as FieldErrorCode[];

/** Drops further issues, to bound the response. */
const maxIssues = 1000;

type Issue = z.core.$ZodIssue;

/** The options of `safeParse` for bodies. Errors of unknown properties list the known ones. */
export const bodyParseOptions = {
  reportInput: true,
  error: (issue: z.core.$ZodRawIssue) => {
    if (issue.code !== "unrecognized_keys") return undefined;
    const definition = issue.inst?._zod.def as { shape?: object } | undefined;
    const names = Object.keys(definition?.shape ?? {});
    return describeUnknownProperty(names);
  },
};

export function describeUnknownProperty(allowed: readonly string[]): string {
  return allowed.length > 0
    ? `Unknown property. Allowed: ${formatChoices(allowed)}.`
    : "Unknown property.";
}

/**
 * Converts zod's issues to field errors with pointers. Every error has the code `fixedCode`; without it, the code follows
 * from the kind of issue.
 */
export function zodErrors(issues: readonly Issue[], fixedCode?: FieldErrorCode): FieldError[] {
  return issues.slice(0, maxIssues).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    if (issue.code === "unrecognized_keys") {
      return issue.keys
        .slice(0, maxIssues)
        .map((key) => errorAt([...path, key], fixedCode ?? "unknown_field", issue.message));
    }
    return [errorAt(path, fixedCode ?? codeOf(issue), reasonOf(issue))];
  });
}

/** Converts the first issue of a header or parameter. These errors have no pointer. */
export function issueErrors(name: string, issues: readonly Issue[]): FieldError[] {
  return issues.slice(0, 1).map((issue) => ({
    field: name,
    code: codeOf(issue),
    reason: reasonOf(issue),
    ...(issue.code === "custom" ? issue.params : {}),
  }));
}

function codeOf(issue: Issue): FieldErrorCode {
  switch (issue.code) {
    case "invalid_type":
    case "invalid_union":
    case "custom":
      return issue.input === undefined ? "required" : "invalid_type";
    case "too_small":
      return issue.origin === "string" ? "too_short" : "too_small";
    case "too_big":
      return issue.origin === "string" ? "too_long" : "too_large";
    case "invalid_value":
      return "not_an_option";
    case "invalid_format":
    case "not_multiple_of":
      return "invalid_format";
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
      return "invalid_type";
  }
}

function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? missingReason : typeReason(issue.expected);
    case "custom":
      return issue.input === undefined ? missingReason : issue.message;
    case "invalid_value":
      return `Must be one of ${formatChoices(issue.values.map(String))}.`;
    case "too_small":
      return tooSmallReason(issue.origin, issue.minimum);
    case "too_big":
      return `${describeBoundVerb(issue.origin)} at most ${issue.maximum}${unitSuffix(issue.origin)}.`;
    case "invalid_format":
      return issue.format === "email" ? "Must be an email address." : customMessage(issue);
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? `Must be one of ${formatChoices(issue.options.map(String))}.`
        : customMessage(issue);
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
      return customMessage(issue);
  }
}

const missingReason = "A value is required.";

/** Replaces zod's default message, which does not describe the value. */
function customMessage({ message }: Issue): string {
  return message === "Invalid input" ? "The value has the wrong format." : message;
}

const typeNames: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  integer: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
};

function typeReason(expected: string): string {
  return `Must be ${typeNames[expected] ?? `of type ${expected}`}.`;
}

function tooSmallReason(origin: string, minimum: number | bigint): string {
  const isOne = Number(minimum) === 1;
  if (isOne && origin === "string") return "Must not be empty.";
  if (isOne && origin === "array") return "Must have at least 1 entry.";
  return `${describeBoundVerb(origin)} at least ${minimum}${unitSuffix(origin)}.`;
}

const describeBoundVerb = (origin: string) => (origin === "array" ? "Must have" : "Must be");

function unitSuffix(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " entries" : "";
}
