/** An error in one field, parameter or operation. */
export interface FieldError {
  field: string;
  /** A JSON Pointer to the value in the request body. */
  pointer?: string;
  code: string;
  reason: string;
  /** Further members that depend on the code, such as `minimum`, `allowed` or `renamed_to`. */
  [member: string]: unknown;
}

/** The error codes of the service and of the client itself. */
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

/** All members of a problem document (RFC 9457) from the service. */
export type Problem = Readonly<Record<string, unknown>>;

interface ErrorProperties {
  code: ErrorCode;
  status?: number;
  problem?: Problem;
  /** Seconds, from the header Retry-After. */
  retryAfter?: number | undefined;
  requestId?: string | undefined;
  doubtful?: boolean;
  cause?: unknown;
}

/** The error that every failed call throws. Only an abort throws the reason of its signal instead. */
export class EdgeFormsError extends Error {
  override readonly name: string = "EdgeFormsError";
  readonly code: ErrorCode;
  /** The HTTP status of the response, or 0 without a response. */
  readonly status: number;
  /** All field errors. */
  readonly errors: readonly FieldError[];
  /** The ID under which the service logged the request. */
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly problem: Problem;
  /** Whether the service may have carried out an attempt of the failed call. */
  doubtful: boolean;

  constructor(message: string, properties: ErrorProperties) {
    super(message, "cause" in properties ? { cause: properties.cause } : undefined);
    const { problem = {} } = properties;
    const { errors, request_id: requestId } = problem;
    this.code = properties.code;
    this.status = properties.status ?? 0;
    this.problem = problem;
    this.errors = Array.isArray(errors) ? (errors as FieldError[]) : [];
    this.requestId = typeof requestId === "string" ? requestId : properties.requestId;
    this.retryAfter = properties.retryAfter;
    this.doubtful = properties.doubtful ?? false;
  }
}

/** Builds the error for a response whose status is not 2xx. */
export function errorOf(response: Response, text: string): EdgeFormsError {
  const { status, headers } = response;
  const problem = objectOf(text);
  // RFC 6749 has `error` and `error_description` in place of `code` and `detail`.
  const code = problem["code"] ?? problem["error"];
  const detail = problem["detail"] ?? problem["error_description"] ?? problem["title"];
  const properties = {
    status,
    problem,
    retryAfter: secondsOf(headers.get("Retry-After")),
    requestId: headers.get("X-Request-Id") ?? undefined,
  };
  if (typeof code === "string") return problemError({ ...properties, code }, String(detail));
  const message = `The service returned ${status} without a problem document.`;
  return new EdgeFormsError(message, { ...properties, code: "unexpected_answer" });
}

/** Builds an error whose message includes the first three field errors. */
function problemError(properties: ErrorProperties, detail: string): EdgeFormsError {
  const fields = (properties.problem?.["errors"] ?? []) as FieldError[];
  const reasons = fields.slice(0, 3).map(({ field, reason }) => ` ${field}: ${reason}`);
  const remaining = fields.length > 3 ? ` And ${fields.length - 3} more.` : "";
  return new EdgeFormsError(
    `${properties.code}: ${detail}${reasons.join("")}${remaining}`,
    properties,
  );
}

/** Returns the properties from which to build another error of the same problem. */
export function toldBy(error: EdgeFormsError): ErrorProperties {
  const { code, status, problem, retryAfter, requestId, doubtful } = error;
  return { code, status, problem, retryAfter, requestId, doubtful };
}

/** Copies an error with its field errors converted. Callers use it to adapt field names to their input. */
export function renamed(
  error: EdgeFormsError,
  rename: (fieldError: FieldError) => FieldError,
): EdgeFormsError {
  if (error.errors.length === 0) return error;
  const problem: Problem = { ...error.problem, errors: error.errors.map(rename) };
  return problemError({ ...toldBy(error), problem, cause: error }, String(problem["detail"]));
}

function objectOf(text: string): Problem {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Problem) : {};
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
