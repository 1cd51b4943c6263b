import { exports } from "cloudflare:workers";
import { vi } from "vitest";
import { answerOf, type Answer, type Json } from "../support/client";
import { conforms } from "../support/conformance";

/** Rules that every response must keep, for any request. */

export interface FuzzRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  /** Whether to send the body as a stream, without a Content-Length. */
  isStreamed?: boolean;
}

/** The problem codes of each status. */
const codesByStatus: Record<number, string[]> = {
  400: ["malformed_json", "malformed_header"],
  401: ["unauthenticated"],
  403: ["permission_required"],
  404: ["not_found"],
  405: ["method_not_allowed"],
  409: ["submissions_closed", "submission_closed", "duplicate", "schema_in_use"],
  410: ["changes_expired"],
  412: ["version_mismatch"],
  413: ["too_large"],
  415: ["unsupported_media_type"],
  422: ["invalid_input"],
  429: ["rate_limited"],
};
const adminCodesByStatus: Record<number, string[]> = {
  403: ["cross_site", "role_required"],
  409: ["conflict"],
};
const fieldErrorCodes =
  "required unknown_field invalid_type invalid_format too_short too_long too_small too_large too_many_decimals not_an_option too_few_rows too_many_rows time_zone_required invalid_status unknown_parameter out_of_range not_exact invalid_cursor invalid_condition too_complex invalid_definition unknown_file file_incomplete file_in_use too_many_files not_accepted digest_mismatch outside_view unknown_reference".split(
    " ",
  );
/** RFC 6749, section 5.2. */
const tokenErrors =
  "invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope".split(
    " ",
  );

/** Captures the log of the service: it has the error behind a 500, which the response hides. */
const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

function loggedError(answer: Answer): string {
  const id = answer.headers.get("X-Request-Id") ?? "";
  const lines = log.mock.calls.map(([line]) => String(line));
  const entry = lines.find((line) => line.startsWith('{"event":"error"') && line.includes(id));
  return entry === undefined ? "" : JSON.parse(entry).error;
}

/** A response that breaks a rule. The message has the request, the response and the logged error. */
export class Violation extends Error {
  readonly rule: string;
  readonly loggedError: string;

  constructor(rule: string, request: FuzzRequest, answer: Answer) {
    const error = loggedError(answer);
    const parts = [
      rule,
      `${request.method} ${request.url}`,
      ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
      bodyText(request.body),
      `returned ${answer.status} ${answer.text}`,
      error,
    ];
    super(parts.map((part) => part.slice(0, 3000)).join("\n"));
    this.name = "Violation";
    this.rule = rule;
    this.loggedError = error;
  }
}

function bodyText(body: FuzzRequest["body"]): string {
  if (typeof body === "string" || body === undefined) return body ?? "";
  return new TextDecoder().decode(body);
}

/** Sends a request and throws a `Violation` if the response breaks a rule. */
export async function sendChecked(input: FuzzRequest): Promise<Answer> {
  const { method, url, headers, body, isStreamed } = input;
  const request = new Request(url, {
    method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body: isStreamed ? new Blob([body]).stream() : body }),
  });
  log.mockClear();
  const answer = await answerOf(await exports.default.fetch(request));
  const rule = findBrokenRule(input, answer);
  if (rule !== undefined) throw new Violation(rule, input, answer);
  // Checks errors only: the documents of apps and forms do not describe successes for random definitions.
  if (answer.status >= 300) {
    await conforms(method, url, answer).catch((error: unknown) => {
      throw new Violation(String(error), input, answer);
    });
  }
  return answer;
}

/** Returns the rule that the response breaks, if any. */
function findBrokenRule(request: FuzzRequest, answer: Answer): string | undefined {
  const { status } = answer;
  if (status >= 500) return `no 5xx: got ${status}`;
  if (status < 400 || request.method === "HEAD") return undefined;
  const { pathname } = new URL(request.url);
  if (pathname === "/oauth/token" && request.method === "POST" && status !== 429) {
    return findBrokenTokenRule(answer);
  }
  if (pathname.startsWith("/api/v1/")) return findBrokenProblemRule(request, answer, codesByStatus);
  const wantsJson = request.headers["Accept"] === "application/json";
  if (!pathname.startsWith("/admin") || !wantsJson) return undefined;
  return findBrokenProblemRule(request, answer, allCodesByStatus);
}

const allCodesByStatus = Object.fromEntries(
  Object.entries(codesByStatus).map(([status, statusCodes]) => [
    status,
    [...statusCodes, ...(adminCodesByStatus[Number(status)] ?? [])],
  ]),
);

function findBrokenTokenRule({ status, headers, body }: Answer): string | undefined {
  if (!isJson(headers, "application/json")) return "an error of /oauth/token is JSON";
  if (!tokenErrors.includes(body?.error)) return "an error of /oauth/token is one of RFC 6749";
  if (status !== 400 && status !== 401) return "an error of /oauth/token is 400 or 401";
  return headers.get("Cache-Control") === "no-store"
    ? undefined
    : "an error of /oauth/token has Cache-Control: no-store";
}

function isJson(headers: Headers, type: string): boolean {
  return (headers.get("Content-Type") ?? "").split(";")[0] === type;
}

function findBrokenProblemRule(
  request: FuzzRequest,
  { status, headers, body }: Answer,
  allowedCodes: Record<number, string[]>,
): string | undefined {
  if (!isJson(headers, "application/problem+json")) return "an error is application/problem+json";
  if (!allowedCodes[status]?.includes(body.code)) return "an error has a code of the contract";
  if (body.status !== status) return "a problem has the status of the response";
  if (!body.type?.endsWith(`/problems/${body.code}`)) return "a problem has the type of its code";
  if (body.request_id !== headers.get("X-Request-Id")) return "a problem has the id of the request";
  if (typeof body.title !== "string" || typeof body.detail !== "string")
    return "a problem has a title and a detail";
  return status === 422 ? findBrokenErrorRule(request, body.errors) : undefined;
}

function findBrokenErrorRule(request: FuzzRequest, errors: Json): string | undefined {
  if (!Array.isArray(errors) || errors.length === 0) return "a 422 has errors";
  if (errors.length > 100) return "a 422 has at most 100 errors";
  if (!errors.every(({ code }) => fieldErrorCodes.includes(code)))
    return "field errors have known codes";
  if (!errors.every(({ field, reason }) => typeof field === "string" && reason !== ""))
    return "field errors have a field and a reason";
  if (!request.url.includes("/api/v1/")) return undefined;
  const document = parseBody(request);
  const dangling = errors.find(
    ({ pointer }) => pointer !== undefined && !pointsInto(pointer, document),
  );
  return dangling && `pointers point into the document: ${dangling.pointer} does not`;
}

/** Parses the JSON body of the request. Undefined for other bodies. */
function parseBody({ body }: FuzzRequest): Json {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** Whether a pointer (RFC 6901) leads to a value of the document, or to a missing member of an object in it. */
function pointsInto(pointer: string, document: Json): boolean {
  if (document === undefined || pointer === "") return true;
  // A document that is not an object misses every member.
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  if (!isObject && pointer.lastIndexOf("/") === 0) return true;
  if (!pointer.startsWith("/")) return false;
  const steps = pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let node = document;
  for (const [index, step] of steps.entries()) {
    if (typeof node !== "object" || node === null) return false;
    if (!Object.hasOwn(node, step)) return index === steps.length - 1 && !Array.isArray(node);
    node = node[step];
  }
  return true;
}
