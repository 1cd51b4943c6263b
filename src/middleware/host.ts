import type { AppEnv, Reading } from "../env";
import type { Host } from "../domain/openapi/document";

/** The service as the caller reaches it. */
export function hostOf(c: Reading<AppEnv>): Host {
  return { origin: new URL(c.req.url).origin, contact: c.env.CONTACT_EMAIL };
}
