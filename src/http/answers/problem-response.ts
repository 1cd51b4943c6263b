import type { Context, ErrorHandler } from "hono";
import { problemDocument } from "../../documents/problem";
import { Problem } from "../../domain/problem/problem";
import { problems } from "../../domain/problem/problem-catalogue";
import type { AppEnv } from "../../env";
import { logFault } from "./log";

type Html = Parameters<Context["html"]>[0];

const internal = new Problem("internal", problems.internal.meaning);

/** The one exit of errors: problems as RFC 9457 says; whatever else is thrown stays inside. People get a page. */
export const answerError =
  (pageOf: (refusal: Problem, requestId: string) => Html): ErrorHandler<AppEnv> =>
  (error, c) => {
    const refusal = error instanceof Problem ? error : internal;
    if (refusal === internal) logFault(c, error);
    const { code, headers } = refusal;
    const { requestId } = c.var;
    const { status } = problems[code];
    if (isForPeople(c)) {
      return c.html(pageOf(refusal, requestId), status, {
        "Cache-Control": "no-store",
        ...headers,
      });
    }
    // RFC 6585, section 4: a 429 is not to be stored; nor is anything else that may be right a moment later.
    const caching = status === 404 || status === 403 ? {} : { "Cache-Control": "no-store" };
    return c.body(JSON.stringify(problemDocument(refusal, c.req.url, requestId)), status, {
      "Content-Type": "application/problem+json",
      ...caching,
      ...headers,
    });
  };

/** Browsers get pages everywhere but in the API, whose errors are documents for everybody. */
function isForPeople(c: Context<AppEnv>): boolean {
  const accept = c.req.header("Accept") ?? "";
  return !/^\/(api\/|oauth\/|\.well-known\/|mcp$)/.test(c.req.path) && accept.includes("text/html");
}
