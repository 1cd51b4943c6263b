import { isVisible, type Resources } from "#domain/credential/credential.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { CollectionLabel } from "#store/home/credential-lists.ts";
import type { FieldErrorCode } from "#domain/problem/field-errors.ts";
import {
  type CallError,
  type LoggedCall,
  isRejected,
  recentCalls,
  type CallLog,
} from "#domain/credential/call-log.ts";
import { apiRoot, collectionPaths, fillPath } from "#domain/api-paths.ts";
import { formatTimestamp } from "#domain/time.ts";
import type { CallFilter } from "./calls-page.tsx";

/** What a credential may see and what exists. The API hides the difference behind 404, but members may know it. */
export interface CallReasonContext {
  resources: Resources;
  reachable: readonly CollectionLabel[];
}

function describeNotFound(path: string, { resources, reachable }: CallReasonContext): string {
  if (path.startsWith(apiRoot + fillPath(collectionPaths("form").item, { id: "" }))) {
    return "This submission does not exist, or the credential has no access to it.";
  }
  const [kind, key] = namedCollection(path);
  if (kind === undefined || key === undefined) return problems.not_found.title + ".";
  const isKnown = reachable.some((label) => label.kind === kind && label.key === key);
  if (!isKnown) return `The ${kind} “${key}” does not exist.${suggestKey(key, kind, reachable)}`;
  if (!isVisible(resources, kind, key))
    return `The credential has no access to the ${kind} “${key}”.`;
  return `Not found in the ${kind} “${key}”.`;
}

/** The app or form that a path of the API names. */
function namedCollection(path: string): [kind?: CollectionKind, key?: string] {
  const kind = (["app", "form"] as const).find((each) =>
    path.startsWith(`${apiRoot}${collectionPaths(each).list}/`),
  );
  if (!kind) return [];
  const [key = ""] = path.slice(`${apiRoot}${collectionPaths(kind).list}/`.length).split(/[/?]/);
  return key === "" ? [] : [kind, key];
}

/** Suggests a key with the same beginning. */
function suggestKey(
  key: string,
  kind: CollectionKind,
  reachable: readonly CollectionLabel[],
): string {
  const start = key.slice(0, 4).toLowerCase();
  const suggestion = reachable.find((label) => label.kind === kind && label.key.startsWith(start));
  return suggestion ? ` Did you mean “${suggestion.key}”?` : "";
}

const fieldErrorTexts: Record<FieldErrorCode, (field: string) => string> = {
  required: (field) => `${field} is missing`,
  unknown_field: (field) => `unknown field ${field}`,
  invalid_type: (field) => `${field} has the wrong type`,
  invalid_format: (field) => `${field} has the wrong format`,
  too_short: (field) => `${field} is too short`,
  too_long: (field) => `${field} is too long`,
  too_small: (field) => `${field} is too small`,
  too_large: (field) => `${field} is too large`,
  too_many_decimals: (field) => `${field} has too many decimals`,
  not_an_option: (field) => `${field} is not one of the options`,
  too_few_rows: (field) => `${field} has too few rows`,
  too_many_rows: (field) => `${field} has too many rows`,
  time_zone_required: (field) => `${field} needs a time zone`,
  invalid_status: () => "this status is not allowed",
  unknown_parameter: (field) => `unknown query parameter ${field}`,
  out_of_range: (field) => `${field} is out of range`,
  not_exact: (field) => `${field} is too large to be exact`,
  invalid_cursor: () => "the cursor is invalid for this list",
  invalid_condition: (field) => `the condition ${field} is invalid`,
  too_complex: () => "the search is too complex",
  outside_view: () => "the item would have left what the credential can see",
  invalid_definition: (field) => `the definition is invalid at ${field}`,
  unknown_file: (field) => `${field} names no file that it uploaded`,
  file_incomplete: (field) => `the content of ${field} is missing`,
  file_in_use: (field) => `${field} names a file of another item`,
  too_many_files: (field) => `${field} has too many files`,
  not_accepted: (field) => `${field} has a file that the field does not accept`,
  digest_mismatch: () => "the content is not the one that was announced",
  unknown_reference: (field) => `${field} names no record that it may refer to`,
};

function describeFieldErrors({ wrong = [] }: CallError): string {
  const texts = wrong.map(({ field, code }) => fieldErrorTexts[code](field));
  const text = texts.join("; ");
  return text === ""
    ? "The request is invalid."
    : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A sentence that explains why a call was rejected. Empty for successful calls. */
export function callReason(call: LoggedCall, context: CallReasonContext): string {
  const { refusal } = call;
  if (!refusal) return "";
  switch (refusal.code) {
    case "permission_required":
      return `Missing permission${refusal.permission === undefined ? "" : `: ${refusal.permission}`}.`;
    case "not_found":
      return describeNotFound(call.path, context);
    case "unauthenticated":
      return "The credential was revoked or expired, or its secret expired.";
    case "rate_limited":
      return "The credential exceeded its rate limit.";
    case "invalid_input":
      return describeFieldErrors(refusal);
    case "duplicate":
      return `Another item already has this value in ${refusal.about ?? "a unique field"}.`;
    case "submissions_closed":
      return closedReasonTexts[refusal.about ?? ""] ?? problems.submissions_closed.meaning;
    case "malformed_json":
    case "malformed_header":
    case "cross_site":
    case "role_required":
    case "conflict":
    case "method_not_allowed":
    case "submission_closed":
    case "schema_in_use":
    case "indexing":
    case "version_mismatch":
    case "changes_expired":
    case "too_large":
    case "unsupported_media_type":
    case "range_not_satisfiable":
    case "internal":
    case "try_again":
      return problems[refusal.code].meaning;
  }
}

const closedReasonTexts: Record<string, string> = {
  not_open_yet: "The form does not accept submissions yet.",
  closed: "The form no longer accepts submissions.",
  full: "The form has reached its maximum number of submissions.",
};

/** A call as JSON. Rejected calls include `code` and `detail`. */
export function callDocument(
  { at, method, path, status, milliseconds, ...call }: LoggedCall,
  reason: string,
) {
  const { code, permission, wrong } = call.refusal ?? {};
  return {
    at: formatTimestamp(at),
    method,
    path,
    status,
    milliseconds,
    request_id: call.requestId,
    ...(code ? { code, detail: reason } : {}),
    ...(permission ? { required_permission: permission } : {}),
    ...(wrong && wrong.length > 0 ? { errors: wrong } : {}),
  };
}

/** The calls that match the filter, oldest first. */
export function filterCalls(log: CallLog, { status, find }: CallFilter, now: number): LoggedCall[] {
  const text = find.trim().toLowerCase();
  return recentCalls(log, now).filter(
    (call) =>
      hasStatus(call, status) &&
      (text === "" ||
        call.path.toLowerCase().includes(text) ||
        call.requestId.toLowerCase().startsWith(text)),
  );
}

function hasStatus(call: LoggedCall, status: string): boolean {
  if (status === "") return true;
  if (status === "refused") return isRejected(call);
  return status === "failed" ? call.status >= 400 : String(call.status) === status;
}
