import type { Context } from "hono";
import type { AttachedFile } from "#actions/files.ts";
import { contentDisposition } from "#domain/files/file-name.ts";
import { parseRange, type ByteRange } from "#domain/files/range.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { itemCollectionId } from "#domain/item/item.ts";
import { matchesPrecondition } from "#domain/preconditions.ts";
import { problem } from "#domain/problem/problem.ts";
import { withTimeout } from "#store/db/retry.ts";
import { logRecovered } from "#domain/events.ts";
import type { AppEnv, RequestContext } from "./env.ts";
import { ifNoneMatch } from "./request.ts";

/** The content security policy of files: an opaque origin without scripts, forms and requests. */
export const sandboxPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'";

type FileContext = RequestContext<AppEnv> &
  Pick<Context, "req" | "body"> & {
    set(name: "isFile", value: true): void;
  };

/** Sends the content of a file, or one range of it, as a stream from R2. */
export async function sendFile(
  c: FileContext,
  { stored }: Pick<AttachedFile, "stored">,
): Promise<Response> {
  c.set("isFile", true);
  const etag = `"${stored.sha256}"`;
  const precondition = ifNoneMatch(c);
  if (precondition && matchesPrecondition(precondition, etag))
    return c.body(null, 304, { ETag: etag, "Cache-Control": contentCaching });
  const headers = contentHeaders(stored, etag);
  const range = requestedRange(c, stored.bytes, etag);
  if (range === "unsatisfiable") throw problem.rangeNotSatisfiable(stored.bytes);
  const isPart = range !== null;
  const { offset, length } = range ?? { offset: 0, length: stored.bytes };
  const body = c.req.method === "HEAD" ? null : await openObject(c, stored, { offset, length });
  const contentRange = `bytes ${offset}-${offset + length - 1}/${stored.bytes}`;
  const status = isPart ? 206 : 200;
  const allHeaders = {
    ...headers,
    "Content-Type": stored.content_type,
    "Content-Length": String(length),
    ...(isPart ? { "Content-Range": contentRange } : {}),
  };
  return body ? c.body(body, status, allHeaders) : c.body(null, status, allHeaders);
}

/** Forbids proxies to change the encoding, because the content would no longer match the digest and the ranges. */
const contentCaching = "private, no-cache, no-transform";

function contentHeaders({ name, sha256 }: StoredFile, etag: string): Record<string, string> {
  const digest = Uint8Array.fromHex(sha256).toBase64();
  return {
    ETag: etag,
    "Repr-Digest": `sha-256=:${digest}:`,
    "Accept-Ranges": "bytes",
    "Content-Disposition": contentDisposition(name),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": contentCaching,
  };
}

/**
 * Returns the range to send. Null for the whole content. If the client has a copy of another version, sends the whole
 * content (RFC 9110, 13.1.5).
 */
function requestedRange(
  c: FileContext,
  bytes: number,
  etag: string,
): ByteRange | "unsatisfiable" | null {
  // Ranges are defined only for GET (RFC 9110, 14.2).
  if (c.req.method !== "GET") return null;
  const ifRange = c.req.header("If-Range");
  if (ifRange !== undefined && ifRange.trim() !== etag) return null;
  return parseRange(c.req.header("Range"), bytes);
}

async function openObject(
  { env }: FileContext,
  { id }: StoredFile,
  range: ByteRange,
): Promise<ReadableStream> {
  const get = async () => {
    const jurisdiction = await env.databases.jurisdictionOf({ id: itemCollectionId(id) ?? 0 });
    return env.files.open(jurisdiction, id, range);
  };
  const object = await withTimeout(env, get).catch((error: unknown) => {
    logRecovered(env, "content of a file unreadable", error);
    throw problem.tryAgain();
  });
  // Only a restore of the database to an earlier time leaves a row without its object.
  if (!object) throw problem.notFound();
  return object.body;
}
