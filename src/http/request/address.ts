import type { AppEnv, Reading } from "../../env";

/** Where a request comes from. */
export function callerAddress(c: Reading<AppEnv>): string {
  return c.req.header("CF-Connecting-IP") ?? "unknown";
}
