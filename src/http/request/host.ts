import type { AppEnv, Reading } from "../../env";
import type { Host } from "../../documents/openapi/frame";

/** Where the service stands: as it is configured, so that no Host header decides it, or as it was called. */
export function originOf(c: Reading<AppEnv>): string {
  return new URL(c.env.ORIGIN === "" ? c.req.url : c.env.ORIGIN).origin;
}

/** The service as the caller reaches it. */
export function hostOf(c: Reading<AppEnv>): Host {
  return { origin: originOf(c), contact: c.env.CONTACT_EMAIL };
}
