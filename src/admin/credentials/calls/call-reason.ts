import { problems } from "../../../domain/problem/problem-catalogue";
import type { LoggedCall } from "../../../gate/call-log";
import { missing, type Sight } from "./missing";
import { wrongInWords } from "./wrong-in-words";

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
