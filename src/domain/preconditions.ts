import * as z from "zod/mini";
import { problem } from "#domain/problem/problem.ts";
import { sha256 } from "#domain/credential/keys.ts";

/** What a conditional header asks for: any version, or one of these tags. */
export type Precondition = "*" | readonly string[];

export function etagOf(version: number): string {
  return `"${version}"`;
}

const tag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;
const listOfTags = new RegExp(`^\\s*(?:${tag.source}\\s*)?(?:,\\s*(?:${tag.source}\\s*)?)*$`);

/**
 * Reads If-Match or If-None-Match (RFC 9110, section 13.1). The `W/` prefix is dropped: a tag names a version of
 * the resource, and compression on the way may weaken it.
 */
export function parsePrecondition(name: string, header: string): Precondition {
  if (header.trim() === "*") return "*";
  const tags = listOfTags.test(header)
    ? [...header.matchAll(tag)].map(([, opaque = ""]) => opaque)
    : [];
  if (tags.length > 0) return tags;
  throw problem.malformedHeader(
    name,
    `${name} must be entity tags in double quotes, like "3", separated by commas, or *.`,
  );
}

export function matches(precondition: Precondition, etag: string): boolean {
  return precondition === "*" || precondition.includes(etag);
}

/** The tag of a document that has no version: of its content. */
export async function contentTag(text: string): Promise<string> {
  return `"${(await sha256(text)).slice(0, 22)}"`;
}

export const idempotencyKeyHeader = "Idempotency-Key";

/** 1 to 255 visible ASCII characters (contract, section 8). */
export const idempotencyKey = z
  .string()
  .check(
    z.minLength(1, { abort: true }),
    z.maxLength(255, { abort: true }),
    z.regex(/^[\x21-\x7e]+$/, "Must be visible ASCII only."),
  );
