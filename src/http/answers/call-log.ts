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
  const { deed, requestId } = c.var;
  const problem = deed?.refusal ?? (error instanceof Problem ? error : undefined);
  const told = deed?.refusal?.status ?? status;
  const refusal = loggedRefusal(told, problem);
  const path = loggedPath(c.req.url);
  const call = {
    at: started,
    method: c.req.method,
    path: deed ? `${path} ${deed.name}` : path,
    status: told,
    milliseconds: Date.now() - started,
    requestId,
    ...(refusal ? { refusal } : {}),
  };
  keepNews(c, credentialId, { calls: [call] }, told >= 400);
}
