import type { AppEnv, RequestContext } from "./env.ts";
import type { Host } from "#documents/openapi/document.ts";
import type { Context } from "hono";
import { networksOf, type Networks } from "#domain/networks.ts";
import { withTimeout } from "#store/db/retry.ts";
import { parsePrecondition, type Precondition } from "#domain/preconditions.ts";

/** Returns the networks of the caller's IP address. */
export function callerNetworks(c: RequestContext<AppEnv>): Networks {
  return networksOf(c.req.header("CF-Connecting-IP") ?? "unknown");
}

/**
 * Counts a request of the caller's networks. Returns whether it is within the limit of the narrow network and within
 * the higher limit of the wide one.
 */
export async function countByNetwork(
  c: RequestContext<AppEnv>,
  limiter: "failures" | "signIns",
  name: string,
): Promise<boolean> {
  const { narrow, wide } = callerNetworks(c);
  const { limiters } = c.env;
  const counted = await withTimeout(c.env, () =>
    Promise.all([
      limiters[limiter].limit({ key: name + narrow }),
      ...(wide === null ? [] : [limiters[`${limiter}Wide`].limit({ key: name + wide })]),
    ]),
  );
  return counted.every(({ success }) => success);
}

/** Counts a request under a key. Returns whether it is within the limit. */
export async function countByKey(
  { env }: RequestContext<AppEnv>,
  limiter: "signIns" | "changes",
  key: string,
): Promise<boolean> {
  const { success } = await withTimeout(env, () => env.limiters[limiter].limit({ key }));
  return success;
}

/** Returns the configured origin, which no Host header can change, or else the origin of the request. */
export function serviceOrigin(c: RequestContext<AppEnv>): string {
  return new URL(c.env.settings.origin || c.req.url).origin;
}

/** Returns the origin and the contact for OpenAPI documents. */
export function serviceHost(c: RequestContext<AppEnv>): Host {
  return { origin: serviceOrigin(c), contact: c.env.settings.contactEmail };
}

export function ifMatch(c: Context): Precondition | null {
  return parsePreconditionHeader(c, "If-Match");
}

export function ifNoneMatch(c: Context): Precondition | null {
  return parsePreconditionHeader(c, "If-None-Match");
}

function parsePreconditionHeader(c: Context, name: string): Precondition | null {
  const header = c.req.header(name);
  return header === undefined ? null : parsePrecondition(name, header);
}
