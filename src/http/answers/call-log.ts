import type { Context } from "hono";
import { Problem } from "../../domain/problem/problem";
import type { AppEnv, Reading } from "../../env";
import { loggedPath, refusalOf } from "./logged-call";
import { keepNews } from "./news";

/** Notes a call that began at `started` and was answered with `status`, or refused as `error` says. */
export function noteCall(
  c: Reading<AppEnv> & Pick<Context, "error">,
  credentialId: string,
  started: number,
  status: number,
  error: unknown = c.error,
): void {
  const refusal = refusalOf(status, error instanceof Problem ? error : undefined);
  const call = {
    at: started,
    method: c.req.method,
    path: loggedPath(c.req.url),
    status,
    milliseconds: Date.now() - started,
    requestId: c.var.requestId,
    ...(refusal ? { refusal } : {}),
  };
  keepNews(c, credentialId, { calls: [call] }, status >= 400);
}
