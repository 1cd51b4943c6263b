interface ProblemKind {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503;
  title: string;
  /** What it means, for the page that the problem's `type` leads to. */
  meaning: string;
  /** What the caller can do about it. */
  remedy: string;
}

/** Every problem that the service answers with, by `code` (contract, section 5). */
export const problems = {
  malformed_json: {
    status: 400,
    title: "Malformed JSON",
    meaning: "The body is not JSON encoded as UTF-8.",
    remedy: "Send one JSON object, encoded as UTF-8, as the body.",
  },
  malformed_header: {
    status: 400,
    title: "Malformed header",
    meaning: "A header that the service reads does not follow its grammar.",
    remedy:
      'Send If-Match and If-None-Match as entity tags in double quotes, separated by commas, or as "*".',
  },
  unauthenticated: {
    status: 401,
    title: "Credential missing or invalid",
    meaning:
      "The request carried no credential, or one that is unknown, expired or revoked. The answer is the same for all of these.",
    remedy:
      "Send `Authorization: Bearer …` with a personal token, or with an access token from /oauth/token. Credentials are issued in the administration area, under “Integrations and external data”.",
  },
  permission_required: {
    status: 403,
    title: "Permission required",
    meaning: "The credential is valid but lacks the permission named in `required_permission`.",
    remedy: "Have the permission added to the credential, or use another credential.",
  },
  cross_site: {
    status: 403,
    title: "Cross-site request refused",
    meaning: "Another site sent this request with your session in the administration area.",
    remedy: "Open the administration area itself and do it there.",
  },
  role_required: {
    status: 403,
    title: "Another role required",
    meaning: "What was asked of the administration area is not for members of your role.",
    remedy: "Ask an owner or an admin to do it, or to change your role.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    meaning: "What was asked of the administration area does not fit what is there.",
    remedy: "Look at what is there now, and ask again.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    meaning:
      "The path or the resource does not exist, or is not visible to this credential. The answer does not tell which.",
    remedy: "Check the keys and ids in the path, and the resources of the credential (GET /me).",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    meaning: "The path exists but not with this method. Submissions are all that can be deleted.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  submissions_closed: {
    status: 409,
    title: "Submissions closed",
    meaning:
      "The form does not accept submissions: `reason` is not_open_yet, closed or full. Nothing was stored.",
    remedy:
      "Read the form's schema: `acceptance` tells when it opens, closes and how many it takes.",
  },
  submission_closed: {
    status: 409,
    title: "Submission closed",
    meaning: "The submission has the status closed and cannot be changed or deleted.",
    remedy: "Have it reopened in the administration area.",
  },
  duplicate: {
    status: 409,
    title: "Duplicate value",
    meaning: "Another item already has the value of the field named in `field`, which is unique.",
    remedy: "Find the other item by that value and update it, or send another value.",
  },
  schema_in_use: {
    status: 409,
    title: "Definition in use",
    meaning: "Stored data stands against this change of the definition. Nothing was changed.",
    remedy:
      "Give the field a new key and type and retire the old one, or mend the data that `field` names.",
  },
  indexing: {
    status: 409,
    title: "Indexing",
    meaning:
      "The definition made a field searchable, and not all items are indexed for it yet. The search could miss some, so it is not made.",
    remedy:
      "Wait for the seconds in `Retry-After` and search again. `indexing` in the schema document tells how far it is.",
  },
  changes_expired: {
    status: 410,
    title: "Changes expired",
    meaning: "The cursor points to changes before those that are kept: 30 days.",
    remedy:
      "List the collection again, and follow its changes with a cursor of today: `?cursor=now`, taken before the list.",
  },
  version_mismatch: {
    status: 412,
    title: "Version mismatch",
    meaning: "The version in If-Match is not the stored one. Nothing was written.",
    remedy: "Read the resource again, apply the change to what it is now, and send its new ETag.",
  },
  too_large: {
    status: 413,
    title: "Body too large",
    meaning: "The body exceeds the limit.",
    remedy: "Send less in one request.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    meaning: "The body is not of a type that this route reads.",
    remedy: "Send `Content-Type: application/json`.",
  },
  invalid_input: {
    status: 422,
    title: "Input invalid",
    meaning:
      "Each entry of `errors` names a field, where it stands, what is wrong and what is allowed.",
    remedy: "Mend every entry of `errors` and send the request again.",
  },
  rate_limited: {
    status: 429,
    title: "Rate limit reached",
    meaning: "Too many requests in the last 60 seconds. Refused requests do not count.",
    remedy: "Wait for the seconds in `Retry-After`, then send the same request again.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    meaning: "The service failed. The failure is logged under `request_id`.",
    remedy: "Try again; if it stays, tell the operator the `request_id`.",
  },
  try_again: {
    status: 503,
    title: "Try again",
    meaning: "The storage is overloaded or out of reach, and bounded retries did not help.",
    remedy:
      "Wait for the seconds in `Retry-After`. Send creates with an Idempotency-Key, so that a repeat cannot create twice.",
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problems;

const ofAdministration = ["cross_site", "role_required", "conflict"] as const;

/** The codes that the API itself answers with. */
export type ApiCode = Exclude<ProblemCode, (typeof ofAdministration)[number]>;

export const apiCodes = (Object.keys(problems) as ProblemCode[]).filter(
  (code): code is ApiCode => !(ofAdministration as readonly ProblemCode[]).includes(code),
);
