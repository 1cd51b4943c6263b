/** What is wrong with one field, parameter or operation. */
export interface FieldError {
  field: string;
  /** Where it stands in the body that was sent, as a JSON Pointer. */
  pointer?: string;
  code: string;
  reason: string;
  /** What is allowed, where the code has something to tell: `minimum`, `allowed`, `renamed_to`, … */
  [member: string]: unknown;
}

/** The codes of the service, and those that the client itself gives. */
export type ErrorCode =
  | "malformed_json"
  | "malformed_header"
  | "unauthenticated"
  | "permission_required"
  | "not_found"
  | "method_not_allowed"
  | "too_large"
  | "unsupported_media_type"
  | "submissions_closed"
  | "submission_closed"
  | "duplicate"
  | "schema_in_use"
  | "indexing"
  | "changes_expired"
  | "version_mismatch"
  | "invalid_input"
  | "rate_limited"
  | "internal"
  | "try_again"
  | "network_error"
  | "timeout"
  | "unexpected_answer"
  | "key_reused"
  | "invalid_webhook"
  | (string & {});

/** Members of a problem (RFC 9457) as the service sent it, those of its code among them. */
export type Problem = Readonly<Record<string, unknown>>;

interface Told {
  code: ErrorCode;
  status?: number;
  problem?: Problem;
  /** Seconds, from the header Retry-After. */
  retryAfter?: number | undefined;
  requestId?: string | undefined;
  doubtful?: boolean;
  cause?: unknown;
}

/** Every failure of a call. An abort alone is not one: it throws the reason of its signal. */
export class EdgeFormsError extends Error {
  override readonly name: string = "EdgeFormsError";
  readonly code: ErrorCode;
  /** The status of the answer; 0 where there was none. */
  readonly status: number;
  /** Every invalid field, with a pointer to it. */
  readonly errors: readonly FieldError[];
  /** What the service's operators ask for. */
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly problem: Problem;
  /** Whether a try may have been carried out although this one failed. */
  doubtful: boolean;

  constructor(message: string, told: Told) {
    super(message, "cause" in told ? { cause: told.cause } : undefined);
    const { problem = {} } = told;
    const { errors, request_id: requestId } = problem;
    this.code = told.code;
    this.status = told.status ?? 0;
    this.problem = problem;
    this.errors = Array.isArray(errors) ? (errors as FieldError[]) : [];
    this.requestId = typeof requestId === "string" ? requestId : told.requestId;
    this.retryAfter = told.retryAfter;
    this.doubtful = told.doubtful ?? false;
  }
}

/** The error that an answer outside of 2xx tells. */
export function errorOf(answer: Response, text: string): EdgeFormsError {
  const { status, headers } = answer;
  const problem = objectOf(text);
  // RFC 6749 has `error` and `error_description` in place of `code` and `detail`.
  const code = problem["code"] ?? problem["error"];
  const detail = problem["detail"] ?? problem["error_description"] ?? problem["title"];
  const told = {
    status,
    problem,
    retryAfter: secondsOf(headers.get("Retry-After")),
    requestId: headers.get("X-Request-Id") ?? undefined,
  };
  if (typeof code === "string") return problemError({ ...told, code }, String(detail));
  const message = `The service answered ${status} without a problem document.`;
  return new EdgeFormsError(message, { ...told, code: "unexpected_answer" });
}

/** Its message names the first fields that are wrong. */
function problemError(told: Told, detail: string): EdgeFormsError {
  const fields = (told.problem?.["errors"] ?? []) as FieldError[];
  const reasons = fields.slice(0, 3).map(({ field, reason }) => ` ${field}: ${reason}`);
  const more = fields.length > 3 ? ` And ${fields.length - 3} more.` : "";
  return new EdgeFormsError(`${told.code}: ${detail}${reasons.join("")}${more}`, told);
}

/** What an error of the same problem is made of. */
export function toldBy(error: EdgeFormsError): Told {
  const { code, status, problem, retryAfter, requestId, doubtful } = error;
  return { code, status, problem, retryAfter, requestId, doubtful };
}

/** The same problem with its fields named as its caller knows them. */
export function renamed(
  error: EdgeFormsError,
  rename: (each: FieldError) => FieldError,
): EdgeFormsError {
  if (error.errors.length === 0) return error;
  const problem: Problem = { ...error.problem, errors: error.errors.map(rename) };
  return problemError({ ...toldBy(error), problem, cause: error }, String(problem["detail"]));
}

function objectOf(text: string): Problem {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? (read as Problem) : {};
  } catch {
    return {};
  }
}

/** Retry-After is a number of seconds or a date (RFC 9110, section 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
