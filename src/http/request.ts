import type { AppEnv, Reading } from "./env.ts";
import type { Host } from "#documents/openapi/document.ts";
import type { Context } from "hono";
import { parsePrecondition, type Precondition } from "#domain/preconditions.ts";

/** Where a request comes from. */
export function callerAddress(c: Reading<AppEnv>): string {
  return c.req.header("CF-Connecting-IP") ?? "unknown";
}

/** Where the service stands: as it is configured, so that no Host header decides it, or as it was called. */
export function originOf(c: Reading<AppEnv>): string {
  return new URL(c.env.ORIGIN === "" ? c.req.url : c.env.ORIGIN).origin;
}

/** The service as the caller reaches it. */
export function hostOf(c: Reading<AppEnv>): Host {
  return { origin: originOf(c), contact: c.env.CONTACT_EMAIL };
}

export function ifMatch(c: Context): Precondition | null {
  return precondition(c, "If-Match");
}

export function ifNoneMatch(c: Context): Precondition | null {
  return precondition(c, "If-None-Match");
}

function precondition(c: Context, name: string): Precondition | null {
  const header = c.req.header(name);
  return header === undefined ? null : parsePrecondition(name, header);
}
