import { isVisible, type Resources } from "#domain/credential/credential.ts";
import {
  collectionKinds,
  type ClosedReason,
  type CollectionKind,
} from "#domain/definition/collection.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { CollectionLabel } from "#actions/operand-names.ts";
import {
  type LoggedCall,
  isRejected,
  recentCalls,
  type CallLog,
} from "#domain/credential/call-log.ts";
import { permissions } from "#domain/credential/permissions.ts";
import { apiRoot, collectionPaths, fillPath } from "#domain/api-paths.ts";
import { formatTimestamp } from "#domain/time.ts";
import type { CallFilter } from "./calls-page.tsx";

/**
 * The access of a credential and the existing collections. The API returns 404 in both cases, but members may know the
 * difference.
 */
export interface CallReasonContext {
  resources: Resources;
  reachable: readonly CollectionLabel[];
}

type Reasons = Catalogue["calls"]["reasons"];

function describeNotFound(
  path: string,
  { resources, reachable }: CallReasonContext,
  text: Reasons,
): string {
  if (path.startsWith(apiRoot + fillPath(collectionPaths("form").item, { id: "" }))) {
    return text.noSubmission;
  }
  const [kind, key] = namedCollection(path);
  if (kind === undefined || key === undefined) return text.noResource;
  const isKnown = reachable.some((label) => label.kind === kind && label.key === key);
  if (!isKnown) return text.noCollection(kind, key, suggestKey(key, kind, reachable));
  if (!isVisible(resources, kind, key)) return text.noAccess(kind, key);
  return text.notIn(kind, key);
}

/** Returns the app or form in a path of the API. */
function namedCollection(path: string): [kind?: CollectionKind, key?: string] {
  const kind = collectionKinds.find((each) =>
    path.startsWith(`${apiRoot}${collectionPaths(each).list}/`),
  );
  if (!kind) return [];
  const [key = ""] = path.slice(`${apiRoot}${collectionPaths(kind).list}/`.length).split(/[/?]/);
  return key === "" ? [] : [kind, key];
}

/** Suggests a key with the same start. */
function suggestKey(
  key: string,
  kind: CollectionKind,
  reachable: readonly CollectionLabel[],
): string | undefined {
  const start = key.slice(0, 4).toLowerCase();
  return reachable.find((label) => label.kind === kind && label.key.startsWith(start))?.key;
}

/** Returns the reason why a call was rejected. Empty for successful calls. */
export function callReason(
  call: LoggedCall,
  context: CallReasonContext,
  { calls: { reasons: text }, credentials }: Catalogue,
): string {
  const { refusal } = call;
  if (!refusal) return "";
  switch (refusal.code) {
    case "permission_required":
      return describeMissing(refusal.permission, credentials.permissions, text);
    case "not_found":
      return describeNotFound(call.path, context, text);
    case "unauthenticated":
      return text.unauthenticated;
    case "rate_limited":
      return text.rateLimited;
    case "invalid_input":
      return text.fieldErrors(refusal.wrong ?? []);
    case "duplicate":
      return text.duplicate(refusal.about);
    case "submissions_closed":
      return text.closed[isClosedReason(refusal.about) ? refusal.about : "unknown"];
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
      return text.other(refusal.code);
  }
}

function describeMissing(
  code: string | undefined,
  names: Catalogue["credentials"]["permissions"],
  text: Reasons,
): string {
  const permission = permissions.find((each) => each === code);
  return text.missingPermission(permission && names[permission], code ?? "");
}

const closedReasons: readonly ClosedReason[] = ["not_open_yet", "closed", "full"];
const isClosedReason = (about: string | undefined): about is ClosedReason =>
  closedReasons.some((reason) => reason === about);

/** Returns a call as JSON. Rejected calls include `code` and `detail`. */
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

/** Returns the calls that match the filter, oldest first. */
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
