import { capitalize } from "#domain/text.ts";
import { abilities, type Ability } from "#domain/credential/permissions.ts";
import type { FieldErrorCode } from "./field-errors.ts";
import type { Reason } from "./reasons.ts";
import { type ConflictReason, problems, type ProblemCode } from "./catalogue.ts";

/** The error of one field, parameter or part of a definition. */
export interface FieldError {
  /** The location for people: `lines[1].qty`, or the name of a query parameter or header. */
  field: string;
  /** The location for programs: a JSON Pointer (RFC 6901) into the request body. Absent outside bodies. */
  pointer?: string;
  code: FieldErrorCode;
  /** A sentence that names the error and the allowed values. */
  reason: string;
  [detail: string]: unknown;
}

/** An error that the caller can act on. Any other exception is a bug in the service and returns 500. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly detail: string;
  /** Additional members of the problem document (RFC 9457, section 3.2). */
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

  /** Returns the same problem with these field errors. */
  withErrors(errors: readonly object[]): Problem {
    return new Problem(this.code, this.detail, { ...this.members, errors }, this.headers);
  }
}

/** Formats alternatives like “GET, HEAD or POST”. */
const formatAlternatives = (names: readonly string[], conjunction = "or"): string =>
  [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(` ${conjunction} `);

const roleNames = (ability: Ability) => abilities[ability].map((role) => `${role}s`);

const bearerChallenge = 'Bearer realm="edge-forms"';
const maxListedErrors = 100;

/** Creates the problems of the specification: `throw problem.notFound()`. */
export const problem = {
  malformedJson: (detail: string) => new Problem("malformed_json", detail),
  malformedHeader: (header: string, detail: string) =>
    new Problem("malformed_header", detail, { header }),

  /** RFC 6750, section 3: without a credential, the challenge has no error code. */
  unauthenticated: (hasCredential: boolean) =>
    new Problem(
      "unauthenticated",
      "Send a valid credential in the header `Authorization: Bearer <ACCESS_TOKEN>`.",
      {},
      {
        "WWW-Authenticate": hasCredential
          ? `${bearerChallenge}, error="invalid_token", error_description="The access token is unknown, expired or revoked"`
          : bearerChallenge,
      },
    ),

  /** The same problem for an unknown address and a wrong password. */
  signInFailed: () => new Problem("unauthenticated", "Incorrect email or password."),

  /** Rejects every sign-in while the settings of Cloudflare Access are incomplete. */
  accessIncomplete: (reason: string) =>
    new Problem("unauthenticated", `Nobody can sign in: ${reason}`),

  permissionRequired: (permission: string) =>
    new Problem(
      "permission_required",
      `This credential lacks the permission "${permission}".`,
      { required_permission: permission },
      {
        "WWW-Authenticate": `${bearerChallenge}, error="insufficient_scope", scope="${permission}"`,
      },
    ),

  crossSite: () =>
    new Problem(
      "cross_site",
      "Another site sent this request. The administration area accepts only its own.",
    ),

  /** The detail names the roles that have the ability. */
  roleRequired: (ability: Ability) =>
    new Problem(
      "role_required",
      `Your role does not allow this. ${capitalize(formatAlternatives(roleNames(ability), "and"))} can do it.`,
      {
        required_ability: ability,
        allowed_roles: abilities[ability],
      },
    ),

  conflict: (detail: string, reason: ConflictReason) => new Problem("conflict", detail, { reason }),

  /** A conflict that the page shows in its own language. */
  explainedConflict: (detail: string) => new Problem("conflict", detail),

  notFound: (detail = "This resource does not exist, or this credential cannot see it.") =>
    new Problem("not_found", detail),

  methodNotAllowed: (method: string, allowed: string[]) =>
    new Problem(
      "method_not_allowed",
      `${method} is not allowed here. Use ${formatAlternatives(allowed)}.`,
      {},
      { Allow: allowed.join(", ") },
    ),

  tooLarge: (limit: number) =>
    new Problem("too_large", `The body may have at most ${limit} bytes.`, { limit }),

  anonymousBodyTooLarge: (limit: number) =>
    new Problem(
      "too_large",
      `Without a valid session, a body may have at most ${limit} bytes. Sign in, then send it again.`,
      { limit },
    ),

  tooManyFiles: (limit: number, files: number) =>
    new Problem(
      "too_large",
      `Files that are attached to no item may have at most ${limit} bytes together, and there may be ${files} of them. Attach or delete some first.`,
      { limit },
    ),

  rangeNotSatisfiable: (bytes: number) =>
    new Problem(
      "range_not_satisfiable",
      `The file has ${bytes} bytes. The Range starts behind its end.`,
      { bytes },
      { "Content-Range": `bytes */${bytes}` },
    ),

  itemTooLarge: (limit: number) =>
    new Problem(
      "too_large",
      `The item may have at most ${limit} bytes, including defaults and empty columns.`,
      { limit },
    ),

  tooManyEntries: (limit: number) =>
    new Problem(
      "too_large",
      `The item may have at most ${limit} values in searchable fields. Send fewer rows, or define fields with "searchable": false.`,
      { limit },
    ),

  batchTooLarge: (limit: number) =>
    new Problem(
      "too_large",
      `The operations change more than ${limit} bytes of stored data. Send fewer operations in one batch.`,
      { limit },
    ),

  batchReturnsTooMuch: (limit: number) =>
    new Problem(
      "too_large",
      `The items of the response exceed ${limit} bytes. Send fewer operations, or leave out return=representation.`,
      { limit },
    ),

  batchTooManyUniqueValues: (limit: number) =>
    new Problem(
      "too_large",
      `The operations write or look up more than ${limit} unique values. Send fewer in one batch.`,
      { limit },
    ),

  batchTooManyEntries: (limit: number) =>
    new Problem(
      "too_large",
      `The operations change more than ${limit} values of searchable fields. Send fewer operations in one batch.`,
      { limit },
    ),

  tooManyValues: (limit: number) =>
    new Problem("too_large", `The body may have at most ${limit} values.`, { limit }),

  unsupportedMediaType: (allowed: readonly string[]) =>
    new Problem("unsupported_media_type", `Set Content-Type to ${formatAlternatives(allowed)}.`, {
      allowed,
    }),

  submissionsClosed: (reason: "not_open_yet" | "closed" | "full") =>
    new Problem("submissions_closed", closedDetails[reason], { reason }),

  submissionNotClosed: () => problem.conflict("This submission is not closed.", "not_closed"),

  submissionClosed: () =>
    new Problem(
      "submission_closed",
      "This submission is closed. Only the administration area can reopen it.",
    ),

  duplicateInBatch: (field: string, operation: number) => {
    const detail = `Operation ${operation} of this batch has the same value of "${field}", which must be unique.`;
    return new Problem("duplicate", detail, { field });
  },

  /** `id` is the item that has the value. Only callers who may read the item get it. */
  duplicate: (field: string, id?: string) =>
    new Problem("duplicate", `Another item already has this value of "${field}".`, {
      field,
      ...(id === undefined ? {} : { id }),
    }),

  schemaInUse: (detail: Reason, members: Record<string, unknown> = {}) =>
    new Problem("schema_in_use", detail, members),

  indexing: (fields: string[], { done, total }: { done: number; total: number }) =>
    new Problem(
      "indexing",
      `Items are still being indexed for searches by ${fields.map((field) => `"${field}"`).join(", ")}: ${done} of ${total} are done. Retry after the seconds in Retry-After.`,
      { fields, done, total },
      { "Retry-After": "2" },
    ),

  changesExpired: () =>
    new Problem(
      "changes_expired",
      "The changes after this cursor are no longer kept. List the collection again.",
    ),

  versionMismatch: (currentEtag: string | null) =>
    new Problem(
      "version_mismatch",
      "The stored version does not match If-Match. Nothing was written.",
      { current_etag: currentEtag },
    ),

  /** `Accept-Encoding` names the accepted codings (RFC 9110, section 12.5.3). */
  unsupportedContentCoding: ({ acceptsGzip }: { acceptsGzip: boolean }) =>
    new Problem(
      "unsupported_media_type",
      `Send the body ${acceptsGzip ? "with Content-Encoding: gzip, or " : ""}without a Content-Encoding.`,
      { header: "Content-Encoding" },
      { "Accept-Encoding": acceptsGzip ? "gzip, identity" : "identity" },
    ),

  invalidInput: (errors: readonly FieldError[]) =>
    new Problem("invalid_input", formatErrorCount(errors.length), {
      errors: errors.slice(0, maxListedErrors),
    }),

  rateLimited: (retryAfter: number, detail: string) =>
    new Problem("rate_limited", detail, {}, { "Retry-After": String(retryAfter) }),

  tryAgain: (retryAfter = 1) =>
    new Problem(
      "try_again",
      "The storage did not respond in time. Send the same request again after the seconds in Retry-After.",
      {},
      { "Retry-After": String(retryAfter) },
    ),

  paused: () =>
    new Problem(
      "try_again",
      "The service is paused for maintenance and returns within minutes. Nothing was stored.",
      {},
      { "Retry-After": "30" },
    ),
};

const closedDetails = {
  not_open_yet: "This form does not accept submissions yet.",
  closed: "This form no longer accepts submissions.",
  full: "This form has reached its maximum number of submissions.",
};

/** Validation stops at this many errors, so a count of this size is a minimum. */
const maxCountedErrors = 1000;

function formatErrorCount(count: number): string {
  if (count === 1) return "1 field is invalid.";
  const suffix = count > maxListedErrors ? ` The first ${maxListedErrors} are listed.` : "";
  return `${count < maxCountedErrors ? "" : "At least "}${count} fields are invalid.${suffix}`;
}
