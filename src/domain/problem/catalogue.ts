interface ProblemKind {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 416 | 422 | 429 | 500 | 503;
  title: string;
  /** The explanation on the page that the problem's `type` links to. */
  meaning: string;
  /** The action that the caller can take. */
  remedy: string;
}

/** Every problem that the service returns, by `code`. */
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
    meaning: "A request header is empty or has an invalid format.",
    remedy:
      'Set If-Match and If-None-Match to "*" or to a comma-separated list of ETags in double quotes. Send the content of a file without Content-Range.',
  },
  unauthenticated: {
    status: 401,
    title: "Credential missing or invalid",
    meaning:
      "The request has no credential, or one that is unknown, expired or revoked. The response is the same in all of these cases.",
    remedy:
      "Send `Authorization: Bearer …` with a personal token, or with an access token from /oauth/token. Credentials are issued in the administration area, under “Integrations and external data”.",
  },
  permission_required: {
    status: 403,
    title: "Permission required",
    meaning: "The credential is valid but lacks the permission named in `required_permission`.",
    remedy:
      "Add the permission to the credential in the administration area, or use another credential.",
  },
  cross_site: {
    status: 403,
    title: "Cross-site request refused",
    meaning: "Another site sent this request with your session in the administration area.",
    remedy: "Open the administration area and repeat the action there.",
  },
  role_required: {
    status: 403,
    title: "Another role required",
    meaning: "Your role does not allow this action in the administration area.",
    remedy: "Ask an owner or an admin to do it, or to change your role.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    meaning: "The action in the administration area conflicts with the current state.",
    remedy: "Reload the page, check the current state, and try again.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    meaning:
      "The path or the resource does not exist, or this credential cannot see it. The response does not reveal which.",
    remedy: "Check the keys and IDs in the path, and the resources of the credential (GET /me).",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    meaning: "The path exists, but not with this method. The API deletes submissions only.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  submissions_closed: {
    status: 409,
    title: "Submissions closed",
    meaning:
      "The form does not accept submissions. `reason` is not_open_yet, closed or full. Nothing was stored.",
    remedy:
      "Read the form's schema. `acceptance` contains its opening and closing times and its maximum number of submissions.",
  },
  submission_closed: {
    status: 409,
    title: "Submission closed",
    meaning: "The submission is closed, so it cannot be changed or deleted.",
    remedy: "Reopen the submission in the administration area.",
  },
  duplicate: {
    status: 409,
    title: "Duplicate value",
    meaning: "Another item already has this value of the unique field that `field` names.",
    remedy: "Find the other item by that value and update it, or send another value.",
  },
  schema_in_use: {
    status: 409,
    title: "Definition in use",
    meaning: "Stored data conflicts with this change of the definition. Nothing was changed.",
    remedy:
      "Add a field with a new key and type and retire the old one, or fix the stored values of the field that `field` names.",
  },
  indexing: {
    status: 409,
    title: "Indexing",
    meaning:
      "The definition made a field searchable, and not all items are indexed for it yet. The search would miss some, so it does not run.",
    remedy:
      "Wait for the seconds in `Retry-After` and search again. `done` of `total` items are indexed.",
  },
  changes_expired: {
    status: 410,
    title: "Changes expired",
    meaning: "The cursor points to changes that are older than 30 days and no longer kept.",
    remedy:
      "Get a new cursor with `?cursor=now`, list the collection again, and then follow the changes from that cursor.",
  },
  version_mismatch: {
    status: 412,
    title: "Version mismatch",
    meaning: "The stored version does not match If-Match. Nothing was written.",
    remedy:
      "Read the resource again, apply your change to the current version, and send its new ETag.",
  },
  too_large: {
    status: 413,
    title: "Body too large",
    meaning: "The body, the item or the batch exceeds a limit, which `limit` contains.",
    remedy: "Send less in one request.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    meaning: "The route does not accept this Content-Type or Content-Encoding.",
    remedy: "Send `Content-Type: application/json`.",
  },
  range_not_satisfiable: {
    status: 416,
    title: "Range not satisfiable",
    meaning: "The Range of the request starts behind the end of the file, which has `bytes` bytes.",
    remedy: "Send a Range within the file, or none.",
  },
  invalid_input: {
    status: 422,
    title: "Input invalid",
    meaning:
      "Each entry of `errors` names an invalid value, its place, the mistake and what is allowed.",
    remedy: "Fix every entry of `errors` and send the request again.",
  },
  rate_limited: {
    status: 429,
    title: "Rate limit reached",
    meaning:
      "The credential made too many requests in the last 60 seconds. Rejected requests do not count.",
    remedy: "Wait for the seconds in `Retry-After`, then send the same request again.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    meaning: "The service failed. Its log contains the failure under `request_id`.",
    remedy: "Try again. If the problem persists, send the `request_id` to the operator.",
  },
  try_again: {
    status: 503,
    title: "Try again",
    meaning: "The storage is overloaded or unreachable, and retries did not help.",
    remedy:
      "Wait for the seconds in `Retry-After`, then send the same request again. Send creates with an Idempotency-Key, so that a retry cannot create a second item.",
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problems;

/** Identifies a conflict, so that pages can show it in other languages. */
export type ConflictReason =
  | "address_taken"
  | "being_erased"
  | "credential_changed"
  | "last_owner"
  | "member_changed"
  | "member_removed"
  | "not_closed"
  | "row_deleted"
  | "rows_conflict"
  | "too_many_credentials"
  | "too_many_filters"
  | "too_many_searches";

const adminCodes = ["cross_site", "role_required", "conflict"] as const;

/** The codes that the API itself returns. */
export type ApiCode = Exclude<ProblemCode, (typeof adminCodes)[number]>;

export const apiCodes = (Object.keys(problems) as ProblemCode[]).filter(
  (code): code is ApiCode => !(adminCodes as readonly ProblemCode[]).includes(code),
);
