import * as z from "zod/mini";
import { problem } from "#domain/problem/problem.ts";
import { sha256 } from "#domain/credential/keys.ts";
import { lazy } from "#domain/lazy.ts";

/** The value of a conditional header: any version, or a list of tags. */
export type Precondition = "*" | readonly string[];

export function etagOf(version: number): string {
  return `"${version}"`;
}

const tagPattern = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;
const tagListPattern = new RegExp(
  `^\\s*(?:${tagPattern.source}\\s*)?(?:,\\s*(?:${tagPattern.source}\\s*)?)*$`,
);

/**
 * Parses If-Match or If-None-Match (RFC 9110, section 13.1). Drops the `W/` prefix, which proxies add to a tag when they
 * compress a response.
 */
export function parsePrecondition(name: string, header: string): Precondition {
  if (header.trim() === "*") return "*";
  const tags = tagListPattern.test(header)
    ? [...header.matchAll(tagPattern)].map(([, tag = ""]) => tag)
    : [];
  if (tags.length > 0) return tags;
  throw problem.malformedHeader(
    name,
    `${name} must be * or a comma-separated list of ETags in double quotes, like "3".`,
  );
}

export function matchesPrecondition(precondition: Precondition, etag: string): boolean {
  return precondition === "*" || precondition.includes(etag);
}

/** Throws 412 with the current ETag if `ifMatch` names other versions. */
export function requireVersion(version: number, ifMatch: Precondition | null): void {
  const etag = etagOf(version);
  if (ifMatch && !matchesPrecondition(ifMatch, etag)) throw problem.versionMismatch(etag);
}

/** Returns the ETag of a document without a version, derived from its content. */
export async function contentEtag(text: string): Promise<string> {
  return `"${(await sha256(text)).slice(0, 22)}"`;
}

export const idempotencyKeyHeader = "Idempotency-Key";

/** 1 to 255 visible ASCII characters. */
export const idempotencyKeySchema = lazy(() =>
  z
    .string()
    .check(
      z.minLength(1, { abort: true }),
      z.maxLength(255, { abort: true }),
      z.regex(/^[\x21-\x7e]+$/, "Must contain visible ASCII characters only."),
    ),
);
