import { abilities, type Ability } from "#domain/credential/permissions.ts";
import { problems, type ProblemCode } from "./catalogue.ts";

/** Why one field, parameter or part of a definition was refused (contract, section 5). */
export interface FieldError {
  /** Where, for people: `lines[1].qty`, or the name of a query parameter or header. */
  field: string;
  /** Where, for programs: a JSON Pointer (RFC 6901) into the request body. Absent outside bodies. */
  pointer?: string;
  code: FieldErrorCode;
  /** What was wrong and what is allowed, as a sentence. */
  reason: string;
  [detail: string]: unknown;
}

export const fieldErrorCodes = [
  "required",
  "unknown_field",
  "invalid_type",
  "invalid_format",
  "too_short",
  "too_long",
  "too_small",
  "too_large",
  "too_many_decimals",
  "not_an_option",
  "too_few_rows",
  "too_many_rows",
  "time_zone_required",
  "invalid_status",
  "unknown_parameter",
  "out_of_range",
  "not_exact",
  "invalid_cursor",
  "invalid_condition",
  "too_complex",
  "invalid_definition",
] as const;

export type FieldErrorCode = (typeof fieldErrorCodes)[number];

/** A failure the caller can act upon; everything else that is thrown is a fault of ours and answers 500. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly detail: string;
  /** Further members of the problem document (RFC 9457, section 3.2). */
  readonly members: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    detail: string,
    members: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(`${code}: ${detail}`);
    this.name = "Problem";
    this.code = code;
    this.detail = detail;
    this.members = members;
    this.headers = headers;
  }

  get status() {
    return problems[this.code].status;
  }
}

/** As in “owners and admins”. */
function rolesWith(ability: Ability): string {
  const names = abilities[ability].map((role) => `${role}s`);
  return [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
}

const realm = 'Bearer realm="edge-forms"';
const mostErrors = 100;

/** The failures of the specification, by its own words: `throw problem.notFound()`. */
export const problem = {
  malformedJson: (detail: string) => new Problem("malformed_json", detail),
  malformedHeader: (header: string, detail: string) =>
    new Problem("malformed_header", detail, { header }),

  /** RFC 6750, section 3: no error code where no credential was sent. */
  unauthenticated: (sent: boolean) =>
    new Problem(
      "unauthenticated",
      "Send a valid credential in the header `Authorization: Bearer <ACCESS_TOKEN>`.",
      {},
      {
        "WWW-Authenticate": sent
          ? `${realm}, error="invalid_token", error_description="The access token is unknown, expired or revoked"`
          : realm,
      },
    ),

  permissionRequired: (permission: string) =>
    new Problem(
      "permission_required",
      `This credential lacks the permission "${permission}".`,
      { required_permission: permission },
      { "WWW-Authenticate": `${realm}, error="insufficient_scope", scope="${permission}"` },
    ),

  crossSite: () => new Problem("cross_site", "Requests that another site makes are refused here."),

  /** Says who can do it. */
  roleRequired: (ability: Ability) =>
    new Problem(
      "role_required",
      `Your role does not allow this: ${rolesWith(ability)} can do it.`,
      {
        required_ability: ability,
        allowed_roles: abilities[ability],
      },
    ),

  conflict: (detail: string) => new Problem("conflict", detail),

  notFound: () =>
    new Problem("not_found", "There is nothing here, or it is not visible to this credential."),

  methodNotAllowed: (method: string, allowed: string[]) =>
    new Problem(
      "method_not_allowed",
      `${method} is not possible here; allowed: ${allowed.join(", ")}.`,
      {},
      { Allow: allowed.join(", ") },
    ),

  tooLarge: (limit: number) =>
    new Problem("too_large", `The body exceeds ${limit} bytes.`, { limit }),

  itemTooLarge: (limit: number) =>
    new Problem(
      "too_large",
      `With its defaults and empty columns the item exceeds ${limit} bytes.`,
      {
        limit,
      },
    ),

  tooManyEntries: (found: number, limit: number) =>
    new Problem(
      "too_large",
      `The item has ${found} values in searchable fields, and may have ${limit}. Send fewer rows, or define fields with "searchable": false.`,
      { limit },
    ),

  batchTooLarge: (limit: number) =>
    new Problem(
      "too_large",
      `The operations touch more than ${limit} bytes of stored data: send fewer in one batch.`,
      { limit },
    ),

  batchTooManyEntries: (limit: number) =>
    new Problem(
      "too_large",
      `The operations change more than ${limit} values of searchable fields: send fewer in one batch.`,
      { limit },
    ),

  tooManyValues: (limit: number) =>
    new Problem("too_large", `The body holds more than ${limit} values.`, { limit }),

  unsupportedMediaType: (allowed: readonly string[]) =>
    new Problem("unsupported_media_type", `Send the body as ${allowed.join(" or ")}.`, {
      allowed,
    }),

  submissionsClosed: (reason: "not_open_yet" | "closed" | "full") =>
    new Problem("submissions_closed", closedBecause[reason], { reason }),

  submissionClosed: () =>
    new Problem(
      "submission_closed",
      "This submission is closed; it can be reopened in the administration area only.",
    ),

  /** `id` is that of the item that has the value, for callers who may read it. */
  duplicate: (field: string, id?: string) =>
    new Problem("duplicate", `Another item already has this value of "${field}".`, {
      field,
      ...(id === undefined ? {} : { id }),
    }),

  schemaInUse: (detail: string, members: Record<string, unknown>) =>
    new Problem("schema_in_use", detail, members),

  indexing: (fields: string[]) =>
    new Problem(
      "indexing",
      "Items are being indexed for this search; until that is done it could miss some.",
      { fields },
      { "Retry-After": "2" },
    ),

  changesExpired: () =>
    new Problem("changes_expired", "What came behind this cursor is kept no longer."),

  versionMismatch: (currentEtag: string | null) =>
    new Problem("version_mismatch", "The stored version is another; nothing was written.", {
      current_etag: currentEtag,
    }),

  /** RFC 9110, section 12.5.3: what could have been sent. */
  unsupportedContentCoding: () =>
    new Problem(
      "unsupported_media_type",
      "Send the body as it is, without a Content-Encoding.",
      { header: "Content-Encoding" },
      { "Accept-Encoding": "identity" },
    ),

  invalidInput: (errors: FieldError[]) =>
    new Problem("invalid_input", counted(errors.length), { errors: errors.slice(0, mostErrors) }),

  rateLimited: (retryAfter: number, detail = "The rate limit of this credential is reached.") =>
    new Problem("rate_limited", detail, {}, { "Retry-After": String(retryAfter) }),

  tryAgain: (retryAfter = 1) =>
    new Problem(
      "try_again",
      "The storage did not answer in time; nothing is known to be wrong with the request.",
      {},
      { "Retry-After": String(retryAfter) },
    ),
};

const closedBecause = {
  not_open_yet: "This form does not accept submissions yet.",
  closed: "This form no longer accepts submissions.",
  full: "This form has all the submissions that it accepts.",
};

/** Where there are very many, not all of them are sought. */
const mostCounted = 1000;

function counted(count: number): string {
  const shown = count > mostErrors ? ` The first ${mostErrors} are listed.` : "";
  if (count >= mostCounted) return `At least ${mostCounted} fields are invalid.${shown}`;
  return `${count === 1 ? "1 field is" : `${count} fields are`} invalid.${shown}`;
}
