import type * as z from "zod/mini";
import type { FieldErrorCode } from "./field-error-codes.ts";
import type { FieldError, Problem } from "./problem.ts";
import { reasonFor, type Reason } from "./reasons.ts";

export { fieldErrorCodes, fieldErrorMeanings, type FieldErrorCode } from "./field-error-codes.ts";

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

/** Returns the problem with pointers to parameters that the request has as members of its body. */
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

/** The maximum number of issues. Further issues are dropped, to limit the response. */
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
    ? reasonFor("unknownPropertyOf", { choices: formatChoices(allowed) })
    : reasonFor("unknownProperty");
}

/**
 * Converts zod's issues to field errors with pointers. With `fixedCode`, every error has this code. Without it, the
 * code depends on the kind of issue.
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
      return issue.input === undefined ? reasonFor("valueRequired") : typeReason(issue.expected);
    case "custom":
      return issue.input === undefined ? reasonFor("valueRequired") : issue.message;
    case "invalid_value":
      return reasonFor("notOneOf", { choices: formatChoices(issue.values.map(String)) });
    case "too_small":
      return tooSmallReason(issue.origin, issue.minimum);
    case "too_big":
      return tooBigReason(issue.origin, Number(issue.maximum));
    case "invalid_format":
      return issue.format === "email" ? reasonFor("notEmail") : customMessage(issue);
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? reasonFor("notOneOf", { choices: formatChoices(issue.options.map(String)) })
        : customMessage(issue);
    case "not_multiple_of":
      return reasonFor("noMultiple", { divisor: issue.divisor });
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
      return customMessage(issue);
  }
}

/** Replaces zod's default message, which does not describe the value. */
function customMessage({ message }: Issue): string {
  return message === "Invalid input" ? reasonFor("wrongFormat") : message;
}

const typeReasons: Record<string, Reason> = {
  string: reasonFor("notText"),
  number: reasonFor("notNumber"),
  int: reasonFor("notWholeNumber"),
  integer: reasonFor("notWholeNumber"),
  boolean: reasonFor("notBoolean"),
  array: reasonFor("notArray"),
  object: reasonFor("notObject"),
};

const typeReason = (expected: string): Reason =>
  typeReasons[expected] ?? reasonFor("notOfType", { type: expected });

function tooSmallReason(origin: string, bound: number | bigint): Reason {
  const minimum = Number(bound);
  if (origin === "string")
    return minimum === 1 ? reasonFor("empty") : reasonFor("tooShort", { minimum });
  if (origin === "array")
    return minimum === 1 ? reasonFor("noEntries") : reasonFor("tooFewEntries", { minimum });
  return reasonFor("tooSmall", { minimum });
}

function tooBigReason(origin: string, maximum: number): Reason {
  if (origin === "string") return reasonFor("tooLong", { maximum });
  return origin === "array"
    ? reasonFor("tooManyEntries", { maximum })
    : reasonFor("tooLarge", { maximum });
}

/** Whether the values take too much computation. */
export const isTooComplex = ({ code, members }: Problem): boolean =>
  code === "invalid_input" &&
  ((members["errors"] ?? []) as FieldError[]).some((error) => error.code === "too_complex");
