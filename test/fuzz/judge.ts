import { exports } from "cloudflare:workers";
import { vi } from "vitest";
import { answerOf, type Answer, type Json } from "../support/client";
import { conforms } from "../support/conformance";

/** What every answer has to be, whatever was asked. */

export interface Asked {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  /** Whether the body comes as a stream, so that nothing tells its length. */
  streamed?: boolean;
}

/** The codes of problems by their status (contract, section 5). */
const codes: Record<number, string[]> = {
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
const ofAdministration: Record<number, string[]> = {
  403: ["cross_site", "role_required"],
  409: ["conflict"],
};
const ofFields =
  "required unknown_field invalid_type invalid_format too_short too_long too_small too_large too_many_decimals not_an_option too_few_rows too_many_rows time_zone_required invalid_status unknown_parameter out_of_range not_exact invalid_cursor invalid_condition too_complex invalid_definition".split(
    " ",
  );
/** RFC 6749, section 5.2. */
const ofTokens =
  "invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope".split(
    " ",
  );

/** What the service logs, which tells of faults what their answers keep to themselves. */
const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

function faultOf(answer: Answer): string {
  const id = answer.headers.get("X-Request-Id") ?? "";
  const lines = log.mock.calls.map(([line]) => String(line));
  const fault = lines.find((line) => line.startsWith('{"event":"fault"') && line.includes(id));
  return fault === undefined ? "" : JSON.parse(fault).error;
}

/** An answer that breaks a rule, with all that it takes to see why. */
export class Violation extends Error {
  readonly rule: string;
  readonly fault: string;

  constructor(rule: string, asked: Asked, answer: Answer) {
    const fault = faultOf(answer);
    const told = [
      rule,
      `${asked.method} ${asked.url}`,
      ...Object.entries(asked.headers).map(([name, value]) => `${name}: ${value}`),
      shown(asked.body),
      `answered ${answer.status} ${answer.text}`,
      fault,
    ];
    super(told.map((part) => part.slice(0, 3000)).join("\n"));
    this.name = "Violation";
    this.rule = rule;
    this.fault = fault;
  }
}

function shown(body: Asked["body"]): string {
  if (typeof body === "string" || body === undefined) return body ?? "";
  return new TextDecoder().decode(body);
}

/** Asks the service, and refuses what no answer may be. */
export async function ask(asked: Asked): Promise<Answer> {
  const { method, url, headers, body, streamed } = asked;
  const request = new Request(url, {
    method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body: streamed ? new Blob([body]).stream() : body }),
  });
  log.mockClear();
  const answer = await answerOf(await exports.default.fetch(request));
  const broken = brokenRule(asked, answer);
  if (broken !== undefined) throw new Violation(broken, asked, answer);
  // The documents of apps and forms speak of answers that are given; here it is about those that refuse.
  if (answer.status >= 300) {
    await conforms(method, url, answer).catch((error: unknown) => {
      throw new Violation(String(error), asked, answer);
    });
  }
  return answer;
}

/** The rule that the answer breaks, if there is one. */
function brokenRule(asked: Asked, answer: Answer): string | undefined {
  const { status } = answer;
  if (status >= 500) return `a fault: ${status}`;
  if (status < 400 || asked.method === "HEAD") return undefined;
  const { pathname } = new URL(asked.url);
  if (pathname === "/oauth/token" && asked.method === "POST" && status !== 429) {
    return brokenToken(answer);
  }
  if (pathname.startsWith("/api/v1/")) return brokenProblem(asked, answer, codes);
  const wantsJson = asked.headers["Accept"] === "application/json";
  if (!pathname.startsWith("/admin") || !wantsJson) return undefined;
  return brokenProblem(asked, answer, mergedCodes);
}

const mergedCodes = Object.fromEntries(
  Object.entries(codes).map(([status, those]) => [
    status,
    [...those, ...(ofAdministration[Number(status)] ?? [])],
  ]),
);

function brokenToken({ status, headers, body }: Answer): string | undefined {
  if (!isJson(headers, "application/json")) return "an error of /oauth/token is JSON";
  if (!ofTokens.includes(body?.error)) return "an error of /oauth/token is one of RFC 6749";
  if (status !== 400 && status !== 401) return "an error of /oauth/token is 400 or 401";
  return headers.get("Cache-Control") === "no-store" ? undefined : "an answer that is not stored";
}

function isJson(headers: Headers, type: string): boolean {
  return (headers.get("Content-Type") ?? "").split(";")[0] === type;
}

function brokenProblem(
  asked: Asked,
  { status, headers, body }: Answer,
  known: Record<number, string[]>,
): string | undefined {
  if (!isJson(headers, "application/problem+json")) return "an error is application/problem+json";
  if (!known[status]?.includes(body.code)) return "an error has a code of the contract";
  if (body.status !== status) return "a problem tells its own status";
  if (!body.type?.endsWith(`/problems/${body.code}`)) return "a problem has the type of its code";
  if (body.request_id !== headers.get("X-Request-Id")) return "a problem names the request";
  if (typeof body.title !== "string" || typeof body.detail !== "string") return "a problem is told";
  return status === 422 ? brokenErrors(asked, body.errors) : undefined;
}

function brokenErrors(asked: Asked, errors: Json): string | undefined {
  if (!Array.isArray(errors) || errors.length === 0) return "a 422 has errors";
  if (errors.length > 100) return "a 422 has at most 100 errors";
  if (!errors.every(({ code }) => ofFields.includes(code))) return "errors have codes of the list";
  if (!errors.every(({ field, reason }) => typeof field === "string" && reason !== ""))
    return "errors name a field and a reason";
  if (!asked.url.includes("/api/v1/")) return undefined;
  const sent = jsonOf(asked);
  const lost = errors.find(({ pointer }) => pointer !== undefined && !points(pointer, sent));
  return lost && `pointers point into the document: ${lost.pointer} does not`;
}

/** The document that was sent; undefined where it was none, or a form. */
function jsonOf({ body }: Asked): Json {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** Whether a pointer (RFC 6901) leads to a place of the document, or to a missing member of one. */
function points(pointer: string, document: Json): boolean {
  if (document === undefined || pointer === "") return true;
  // Of what is no object every member is missing.
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  if (!isObject && pointer.lastIndexOf("/") === 0) return true;
  if (!pointer.startsWith("/")) return false;
  const steps = pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let at = document;
  for (const [index, step] of steps.entries()) {
    if (typeof at !== "object" || at === null) return false;
    if (!Object.hasOwn(at, step)) return index === steps.length - 1 && !Array.isArray(at);
    at = at[step];
  }
  return true;
}
