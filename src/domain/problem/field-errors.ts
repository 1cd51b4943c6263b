import type * as z from "zod/mini";
import type { FieldError, FieldErrorCode } from "./problem.ts";

type Path = readonly (string | number)[];

/** `["lines", 1, "qty"]` as people read it: `lines[1].qty`. */
function pathName(path: Path): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? shortened(step) : `${name}.${shortened(step)}`;
  }, "");
}

/** A JSON Pointer (RFC 6901): `["lines", 1]` is `/lines/1`. */
export function pointer(path: Path): string {
  return path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** An error at `path` of the body; `field` leaves out the leading `data`, which every value stands under. */
export function errorAt(
  path: Path,
  code: FieldErrorCode,
  reason: string,
  details: Record<string, unknown> = {},
): FieldError {
  const named = path[0] === "data" && path.length > 1 ? path.slice(1) : path;
  return { field: pathName(named), pointer: pointer(path), code, reason, ...details };
}

/** Keys come from the caller: quoted in a sentence they are kept short. */
export function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** `a, b or c`, at most 20 of them. */
export function oneOf(values: readonly string[]): string {
  const shown = values.slice(0, 20).map((value) => `"${shortened(value)}"`);
  const more = values.length > 20 ? ` and ${values.length - 20} more` : "";
  return shown.join(", ") + more;
}

/** What each code in `errors` means, for the page that explains `invalid_input`; docs/errors.md says the same. */
export const fieldErrors = {
  required: "A required field has no value, or was emptied.",
  unknown_field: "The definition, or the body, has no such key; `renamed_to` is its name now.",
  invalid_type: "Another JSON type is expected, or a whole number: `expected` names it.",
  invalid_format: "The type is right, but not the form, which `reason` describes.",
  too_short: "There are fewer characters than `min_length`.",
  too_long: "There are more characters than `max_length`.",
  too_small: "The number is below the `minimum`.",
  too_large: "The number is above the `maximum`.",
  too_many_decimals: "The number has more decimals than `decimals`.",
  not_an_option: "The value is none of the field's `options`.",
  too_few_rows: "There are fewer rows than `min_rows`.",
  too_many_rows: "There are more rows than `max_rows`.",
  time_zone_required: "A date-time needs an offset, like Z or +09:00.",
  invalid_status: "The item cannot be given this status; `allowed` names those it can.",
  unknown_parameter: "The route has no such query parameter.",
  out_of_range: "`limit` lies between `minimum` and `maximum`.",
  not_exact: "A JSON number of double precision does not hold this number as it was written.",
  invalid_cursor: "The cursor is damaged, or was made for another route, other conditions or sort.",
  invalid_condition:
    "A search names a field, an operator or a value that do not fit; `allowed` names what does.",
  too_complex:
    "A search is beyond its bounds, or the patterns of a form take too long for this item.",
  invalid_definition: "Something in a definition contradicts the rules, or itself.",
} as const satisfies Record<FieldErrorCode, string>;

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
