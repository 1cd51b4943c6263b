import type { Context } from "hono";
import { Problem } from "../../domain/problem/problem";
import type { AppEnv, Reading } from "../../env";
import { loggedPath, loggedRefusal } from "./logged-call";
import { keepNews } from "./news";

/** Notes a call that began at `started` and was answered with `status`, or refused as `error` or its deed says. */
export function noteCall(
  c: Reading<AppEnv> & Pick<Context, "error">,
  credentialId: string,
  started: number,
  status: number,
  error: unknown = c.error,
): void {
  const { deed } = c.var;
  const problem = deed?.refusal ?? (error instanceof Problem ? error : undefined);
  const told = deed?.refusal?.status ?? status;
  const refusal = loggedRefusal(told, problem);
  const call = {
    at: started,
    method: c.req.method,
    path: deed ? `${loggedPath(c.req.url)} ${deed.name}` : loggedPath(c.req.url),
    status: told,
    milliseconds: Date.now() - started,
    requestId: c.var.requestId,
    ...(refusal ? { refusal } : {}),
  };
  keepNews(c, credentialId, { calls: [call] }, told >= 400);
}
