import type { AppEnv, RequestContext } from "./env.ts";
import type { Host } from "#documents/openapi/document.ts";
import type { Context } from "hono";
import { withTimeout } from "#store/db/retry.ts";
import { parsePrecondition, type Precondition } from "#domain/preconditions.ts";

/** Returns the networks of the caller's IP address. */
export function callerNetworks(c: RequestContext<AppEnv>): Networks {
  return networksOf(c.req.header("CF-Connecting-IP") ?? "unknown");
}

/**
 * Counts a request for the caller's networks. Returns whether it is within the limit of the narrow network and within
 * the higher limit of the wide one.
 */
export async function countByNetwork(
  c: RequestContext<AppEnv>,
  limiter: "failures" | "signIns",
  name: string,
): Promise<boolean> {
  const { narrow, wide } = callerNetworks(c);
  const { limiters } = c.env;
  const results = await withTimeout(c.env, () =>
    Promise.all([
      limiters[limiter].limit({ key: name + narrow }),
      ...(wide === null ? [] : [limiters[`${limiter}Wide`].limit({ key: name + wide })]),
    ]),
  );
  return results.every(({ success }) => success);
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

/** Returns the configured origin, which no Host header can change. Without one, returns the origin of the request. */
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

export function ifNoneMatch(c: Pick<Context, "req">): Precondition | null {
  return parsePreconditionHeader(c, "If-None-Match");
}

function parsePreconditionHeader(c: Pick<Context, "req">, name: string): Precondition | null {
  const header = c.req.header(name);
  return header === undefined ? null : parsePrecondition(name, header);
}

/** The networks of a caller, as keys of rate limits. */
export interface Networks {
  /** An IPv4 address, or the /64 of an IPv6 address. Providers usually assign a /64 to one subscriber. */
  narrow: string;
  /** The /48 of an IPv6 address, because one site may have 65,536 networks of size /64. Null for IPv4. */
  wide: string | null;
}

export function networksOf(address: string): Networks {
  const groups = parseIpv6(address);
  if (!groups) return { narrow: address, wide: null };
  const [high, low] = groups.slice(6);
  const isMappedIpv4 = groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff";
  if (isMappedIpv4 && high !== undefined && low !== undefined) {
    const [left, right] = [high, low].map((group) => Number.parseInt(group, 16)) as [
      number,
      number,
    ];
    return { narrow: [left >> 8, left & 255, right >> 8, right & 255].join("."), wide: null };
  }
  return {
    narrow: `${groups.slice(0, 4).join(":")}::/64`,
    wide: `${groups.slice(0, 3).join(":")}::/48`,
  };
}

/** Returns the eight groups of an IPv6 address, without leading zeros. Undefined for other texts. */
function parseIpv6(address: string): string[] | undefined {
  if (!/^[0-9a-f:.]+$/i.test(address) || !address.includes(":")) return undefined;
  const host = URL.parse(`http://[${address}]`)?.hostname;
  if (host === undefined) return undefined;
  const [left = [], right] = host
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  if (!right) return left;
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right];
}
