import { isVisible, type Resources } from "#domain/credential/credential.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { Reachable } from "#store/home/credential-lists.ts";
import type { FieldErrorCode } from "#domain/problem/problem.ts";
import { type Refusal, type LoggedCall, isRefused, recentCalls, type CallLog } from "#gate/call-log.ts";
import { stamp } from "#domain/time.ts";
import type { CallFilter } from "./calls-page.tsx";

/** What a credential may see, and what there is: a 404 does not tell the two apart, its owner may. */
export interface Sight {
  resources: Resources;
  reachable: readonly Reachable[];
}

export function missing(path: string, { resources, reachable }: Sight): string {
  if (path.startsWith("/api/v1/submissions/")) {
    return "There is no such submission among what it has access to.";
  }
  const [, kinds, key] = /^\/api\/v1\/(apps|forms)\/([^/?]+)/.exec(path) ?? [];
  if (kinds === undefined || key === undefined) return problems.not_found.title + ".";
  const kind: CollectionKind = kinds === "apps" ? "app" : "form";
  const known = reachable.some((each) => each.kind === kind && each.key === key);
  if (!known) return `There is no ${kind} “${key}”${near(key, kind, reachable)}.`;
  if (!isVisible(resources, kind, key))
    return `The ${kind} “${key}” is not among what it has access to.`;
  return `Nothing with this address in the ${kind} “${key}”.`;
}

/** A key that begins alike is likely the one that was meant. */
function near(key: string, kind: CollectionKind, reachable: readonly Reachable[]): string {
  const start = key.slice(0, 4).toLowerCase();
  const found = reachable.find((each) => each.kind === kind && each.key.startsWith(start));
  return found ? ` (did it mean “${found.key}”?)` : "";
}

const faults: Record<FieldErrorCode, (field: string) => string> = {
  required: (field) => `${field} is missing`,
  unknown_field: (field) => `unknown field ${field}`,
  invalid_type: (field) => `${field} has the wrong type`,
  invalid_format: (field) => `${field} is not in the right format`,
  too_short: (field) => `${field} is too short`,
  too_long: (field) => `${field} is too long`,
  too_small: (field) => `${field} is too small`,
  too_large: (field) => `${field} is too large`,
  too_many_decimals: (field) => `${field} has too many decimals`,
  not_an_option: (field) => `${field} is none of the options`,
  too_few_rows: (field) => `${field} has too few rows`,
  too_many_rows: (field) => `${field} has too many rows`,
  time_zone_required: (field) => `${field} lacks a time zone`,
  invalid_status: () => "the status is not possible",
  unknown_parameter: (field) => `unknown query parameter ${field}`,
  out_of_range: (field) => `${field} is out of range`,
  not_exact: (field) => `${field} is too large to be exact`,
  invalid_cursor: () => "the cursor belongs to another search",
  invalid_condition: (field) => `the condition ${field} is not possible`,
  too_complex: () => "the search is too complex",
  invalid_definition: (field) => `${field} is no valid definition`,
};

export function wrongInWords({ wrong = [] }: Refusal): string {
  const told = wrong.map(({ field, code }) => faults[code](field));
  const text = told.join("; ");
  return text === ""
    ? "What was sent is not valid."
    : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Why a call was refused, in a sentence; empty where it was not. */
export function callReason(call: LoggedCall, sight: Sight): string {
  const { refusal } = call;
  if (!refusal) return "";
  switch (refusal.code) {
    case "permission_required":
      return `Needs ${refusal.permission ?? "a permission"}, which it does not have.`;
    case "not_found":
      return missing(call.path, sight);
    case "unauthenticated":
      return "It was revoked or had expired, or its secret had ended.";
    case "rate_limited":
      return "More requests within a minute than its limit allows.";
    case "invalid_input":
      return wrongInWords(refusal);
    case "duplicate":
      return `Another item has this value of ${refusal.about ?? "a unique field"}.`;
    case "submissions_closed":
      return closed[refusal.about ?? ""] ?? problems.submissions_closed.meaning;
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
    case "internal":
    case "try_again":
      return problems[refusal.code].meaning;
  }
}

const closed: Record<string, string> = {
  not_open_yet: "The form does not accept submissions yet.",
  closed: "The form no longer accepts submissions.",
  full: "The form has all the submissions that it accepts.",
};

/** A call as scripts read it; why it was refused stands there where it was. */
export function callDocument(
  { at, method, path, status, milliseconds, ...call }: LoggedCall,
  reason: string,
) {
  const { code, permission, wrong } = call.refusal ?? {};
  return {
    at: stamp(at),
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

/** The calls that are asked for, oldest first. */
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
  if (status === "refused") return isRefused(call);
  return status === "failed" ? call.status >= 400 : String(call.status) === status;
}
