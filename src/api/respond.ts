import type { Context } from "hono";
import { joinedDocument } from "#documents/openapi/document.ts";
import { serviceDocument } from "#documents/openapi/service.ts";
import { toAbsoluteLinks } from "#domain/api-paths.ts";
import { matchesPrecondition } from "#domain/preconditions.ts";
import { renderDocument, chooseVersion, sendDocument } from "#http/open-api.ts";
import { sendDownload } from "#http/download.ts";
import type { AppEnv } from "#http/env.ts";
import { sendFile } from "#http/file-content.ts";
import { createCursor, createFeedCursor } from "#http/paging.ts";
import { ifNoneMatch, serviceHost } from "#http/request.ts";
import type {
  LinkedDocument,
  OpenApiResult,
  Operation,
  PageResult,
  Result,
  SingleResult,
} from "#operations/operation.ts";

/** Sends the result of an operation. */
export async function respond(
  c: Context<AppEnv>,
  op: Operation,
  result: Result,
): Promise<Response> {
  if (result === null) return c.body(null, 204);
  if ("items" in result) return sendPage(c, op, result);
  if ("download" in result) return sendDownload(c, result.download, result.format);
  if ("collections" in result) return sendOpenApi(c, result);
  if ("file" in result) return sendFile(c, result.file);
  return sendSingle(c, op, result);
}

/** Sends the document with its ETag, or 304 if a GET has the same ETag in If-None-Match. */
function sendSingle(c: Context, op: Operation, result: SingleResult): Response {
  const { status = 200, etag, isRedefined = false, location, isReplay, hasDifferentBody } = result;
  const isConditional = op.precondition === "If-None-Match" && !isRedefined;
  const precondition = isConditional ? ifNoneMatch(c) : null;
  if (precondition && etag !== undefined && matchesPrecondition(precondition, etag))
    return c.body(null, 304, { ETag: etag });
  return c.json(documentWithLinks(c, result), status, {
    ...(location === undefined ? {} : toAbsoluteLinks({ Location: location }, originOf(c))),
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(isReplay ? { "Idempotent-Replayed": "true" } : {}),
    ...(hasDifferentBody ? { "Idempotency-Key-Mismatch": "true" } : {}),
  });
}

/** Sends a page of a list. The Link header repeats `links.next` (RFC 8288), which is null on the last page. */
async function sendPage(c: Context<AppEnv>, op: Operation, page: PageResult): Promise<Response> {
  const next = page.next && (await nextUrl(c, op, page.next));
  const items = page.items.map((item) => documentWithLinks(c, item));
  const headers = {
    ...(next === null ? {} : { Link: `<${next}>; rel="next"` }),
    ...(op.formats === "downloads" ? { Vary: "Accept" } : {}),
  };
  return c.json({ items, ...page.members, links: { self: c.req.url, next } }, 200, headers);
}

/** Returns the URL of the page after a position, with the parameters of this page. */
async function nextUrl(
  c: Context<AppEnv>,
  op: Operation,
  { binding, position, bookmark, isFeed }: NonNullable<PageResult["next"]>,
): Promise<string> {
  const url = new URL(c.req.path, c.req.url);
  const cursor = await (isFeed
    ? createFeedCursor(c, binding, position)
    : createCursor(c, binding, position, bookmark));
  for (const name of Object.keys(op.query().shape)) {
    const value = name === "cursor" ? cursor : c.req.query(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

async function sendOpenApi(
  c: Context<AppEnv>,
  { collections, includedApps, version }: OpenApiResult,
): Promise<Response> {
  const operations = c.env.operations();
  const documentVersion = chooseVersion(c, version);
  const document =
    collections.length === 0
      ? serviceDocument(operations, serviceHost(c))
      : joinedDocument(operations, collections, serviceHost(c), includedApps);
  return sendDocument(c, documentVersion, await renderDocument(document, documentVersion));
}

function documentWithLinks(c: Context, { document, links }: LinkedDocument): object {
  return links ? { ...document, links: toAbsoluteLinks(links, originOf(c)) } : document;
}

const originOf = ({ req }: Context) => new URL(req.url).origin;
