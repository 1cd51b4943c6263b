import type { Context, ErrorHandler } from "hono";
import { Problem } from "../domain/problem";
import { problems, type ProblemCode } from "../domain/problem-catalogue";
import type { AppEnv } from "../env";
import { RefusalPage } from "../html/refusal-page";
import { logFault } from "./log";

/** The one exit of errors: problems as RFC 9457 says; whatever else is thrown stays inside. */
export const answerError: ErrorHandler<AppEnv> = (error, c) => {
  const refusal = error instanceof Problem ? error : internal;
  if (refusal === internal) logFault(c, error);
  const { code, detail, members, headers } = refusal;
  if (isForPeople(c)) {
    const page = <RefusalPage problem={refusal} requestId={c.var.requestId} />;
    return c.html(page, problems[code].status, { "Cache-Control": "no-store", ...headers });
  }
  return problemResponse(c, code, detail, members, headers);
};

/** The administration area answers with pages, unless it is asked for JSON. */
function isForPeople(c: Context<AppEnv>): boolean {
  const accept = c.req.header("Accept") ?? "";
  return c.req.path.startsWith("/admin") && accept.includes("text/html");
}

const internal = new Problem("internal", problems.internal.meaning);

function problemResponse(
  c: Context<AppEnv>,
  code: ProblemCode,
  detail: string,
  members: Record<string, unknown>,
  headers: Record<string, string>,
): Response {
  const { status, title } = problems[code];
  const document = {
    type: new URL(`/problems/${code}`, c.req.url).href,
    title,
    status,
    code,
    detail,
    request_id: c.var.requestId,
    ...members,
  };
  // RFC 6585, section 4: a 429 is not to be stored; nor is anything else that may be right a moment later.
  const caching = status === 404 || status === 403 ? {} : { "Cache-Control": "no-store" };
  return c.body(JSON.stringify(document), status, {
    "Content-Type": "application/problem+json",
    ...caching,
    ...headers,
  });
}
