import type { Context, ErrorHandler } from "hono";
import { Problem } from "../domain/problem";
import { problems, type ProblemCode } from "../domain/problem-catalogue";
import type { AppEnv } from "../env";
import { logFault } from "./log";

/** The one exit of errors: problems as RFC 9457 says; whatever else is thrown stays inside. */
export const answerError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof Problem) {
    return problemResponse(c, error.code, error.detail, error.members, error.headers);
  }
  logFault(c, error);
  return problemResponse(c, "internal", problems.internal.meaning, {}, {});
};

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
