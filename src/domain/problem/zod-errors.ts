import type * as z from "zod/mini";
import { errorAt, oneOf } from "./field-errors";
import type { FieldError, FieldErrorCode } from "./problem";

/** Whoever has so many looks at the first ones. */
const mostIssues = 1000;

type Issue = z.core.$ZodIssue;

/**
 * zod's issues as field errors with pointers. With `only`, every error carries that code; without it the code
 * follows the kind of issue.
 */
export function zodErrors(issues: readonly Issue[], only?: FieldErrorCode): FieldError[] {
  return issues.slice(0, mostIssues).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    if (issue.code === "unrecognized_keys") {
      return issue.keys
        .slice(0, mostIssues)
        .map((key) =>
          errorAt([...path, key], only ?? "unknown_field", "This property is not known here."),
        );
    }
    return [errorAt(path, only ?? codeOf(issue), reasonOf(issue))];
  });
}

/** The same for headers and parameters, which have no pointer: each has one error. */
export function namedErrors(name: string, issues: readonly Issue[]): FieldError[] {
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
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
      return "invalid_type";
  }
}

function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "This is required." : `Must be of type ${issue.expected}.`;
    case "custom":
      return issue.input === undefined ? "This is required." : issue.message;
    case "invalid_value":
      return `Must be one of ${oneOf(issue.values.map(String))}.`;
    case "too_small":
      return tooSmall(issue.origin, issue.minimum);
    case "too_big":
      return `Must be at most ${issue.maximum}${unit(issue.origin)}.`;
    case "invalid_format":
      return issue.format === "email" ? "Must be an e-mail address." : issue.message;
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? `Must be one of ${oneOf(issue.options.map(String))}.`
        : issue.message;
    case "unrecognized_keys":
    case "not_multiple_of":
    case "invalid_key":
    case "invalid_element":
      return issue.message;
  }
}

function tooSmall(origin: string, minimum: number | bigint): string {
  const isOne = Number(minimum) === 1;
  if (isOne && origin === "string") return "Must not be empty.";
  if (isOne && origin === "array") return "Must have at least one entry.";
  return `Must be at least ${minimum}${unit(origin)}.`;
}

function unit(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " entries" : "";
}
