import { type ProblemCode, problems } from "#domain/problem/catalogue.ts";
import type { FieldErrorCode } from "#domain/problem/field-errors.ts";
import type { ClosedReason, CollectionKind } from "#domain/definition/collection.ts";
import type { Words } from "./words.ts";

const fieldErrors = (): Record<FieldErrorCode, (field: string) => string> => ({
  required: (field) => `${field} is missing`,
  unknown_field: (field) => `unknown field ${field}`,
  invalid_type: (field) => `${field} has the wrong type`,
  invalid_format: (field) => `${field} has the wrong format`,
  too_short: (field) => `${field} is too short`,
  too_long: (field) => `${field} is too long`,
  too_small: (field) => `${field} is too small`,
  too_large: (field) => `${field} is too large`,
  too_many_decimals: (field) => `${field} has too many decimal places`,
  not_an_option: (field) => `${field} is not one of the options`,
  too_few_rows: (field) => `${field} has too few rows`,
  too_many_rows: (field) => `${field} has too many rows`,
  time_zone_required: (field) => `${field} needs a time zone`,
  invalid_status: () => "this status is not allowed",
  unknown_parameter: (field) => `unknown query parameter ${field}`,
  out_of_range: (field) => `${field} is out of range`,
  not_exact: (field) => `${field} is too large to store exactly`,
  invalid_cursor: () => "the cursor is invalid for this list",
  invalid_condition: (field) => `the condition ${field} is invalid`,
  too_complex: () => "the search is too complex",
  outside_view: () => "the credential would no longer see the item",
  invalid_definition: (field) => `the definition is invalid at ${field}`,
  unknown_file: (field) => `${field} refers to a file that the credential didn’t upload`,
  file_incomplete: (field) => `the content of ${field} is missing`,
  file_in_use: (field) => `${field} refers to a file of another item`,
  too_many_files: (field) => `${field} has too many files`,
  not_accepted: (field) => `${field} has a file that the field does not accept`,
  digest_mismatch: () => "the content doesn’t match its digest",
  unknown_reference: (field) => `${field} doesn’t refer to a record that it can use`,
});

/** Describes the errors of a request in one or more sentences. */
function describeFieldErrors(errors: readonly { field: string; code: FieldErrorCode }[]): string {
  if (errors.length === 0) return "The request is invalid.";
  const texts = fieldErrors();
  const text = errors.map(({ field, code }) => texts[code](field)).join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Problems whose reason depends on more than their code. */
type Detailed =
  | "permission_required"
  | "not_found"
  | "unauthenticated"
  | "rate_limited"
  | "invalid_input"
  | "duplicate"
  | "submissions_closed";

const closedReasons = (): Record<ClosedReason | "unknown", string> => ({
  not_open_yet: "The form does not accept submissions yet.",
  closed: "The form no longer accepts submissions.",
  full: "The form has reached its maximum number of submissions.",
  unknown: problems.submissions_closed.meaning,
});

/** The reasons why requests failed. */
const reasons = () => ({
  /** Takes the permission in words, and its code. */
  missingPermission: (permission: string | undefined, code: string) =>
    permission === undefined
      ? "The credential lacks a permission."
      : `The credential lacks the permission “${permission}” (${code}).`,
  noSubmission: "This submission does not exist, or the credential has no access to it.",
  noResource: `${problems.not_found.title}.`,
  noCollection: (kind: CollectionKind, key: string, suggestion: string | undefined) =>
    `The ${kind} “${key}” does not exist.${suggestion === undefined ? "" : ` Did you mean “${suggestion}”?`}`,
  noAccess: (kind: CollectionKind, key: string) =>
    `The credential has no access to the ${kind} “${key}”.`,
  notIn: (kind: CollectionKind, key: string) => `Not found in the ${kind} “${key}”.`,
  unauthenticated: "The credential was revoked or expired, or its secret expired.",
  rateLimited: "The credential exceeded its rate limit.",
  fieldErrors: describeFieldErrors,
  duplicate: (field: string | undefined) =>
    `Another item already has this value in ${field ?? "a unique field"}.`,
  closed: closedReasons(),
  other: (code: Exclude<ProblemCode, Detailed>): string => problems[code].meaning,
});

/** The requests of a credential. */
export const calls = ({ formatCount, quantity }: Words) => ({
  lastDay: "Last 24 hours",
  lastMonth: "Last 30 days",
  total: (count: number) => quantity(count, "request"),
  whyFailed: "Why requests failed",
  whyFailedNote: "All errors (status 400 and higher). Only 401, 403 and 429 count as rejected.",
  times: (count: number) => `${formatCount(count)} ×`,
  addPermission: "Add permission",
  search: "Path or request ID",
  status: "Status",
  statuses: {
    any: "Any status",
    refused: "Rejected (401, 403, 429)",
    failed: "All errors (400 and higher)",
  },
  count: (count: number) =>
    `${quantity(count, "request")}, newest first. The last 200 are kept, without the values of parameters.`,
  caption: "Requests",
  columns: {
    time: "Time",
    request: "Request",
    status: "Status",
    reason: "Reason",
    milliseconds: "Duration (ms)",
    id: "Request ID",
  },
  none: "No requests yet",
  explanation: "The last 200 requests appear here within seconds.",
  noMatches: "No matching requests",
  reasons: reasons(),
});
