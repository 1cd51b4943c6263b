import type { Context } from "hono";
import type { Once } from "#actions/idempotent.ts";
import { itemDocument } from "#documents/items.ts";
import type { ItemView } from "#domain/item/item.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { schemaDocument } from "#documents/definitions.ts";
import { contentTag, etagOf, matches } from "#domain/preconditions.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import { ifNoneMatch } from "#http/request.ts";

/** Absolute addresses, as the caller reaches this service. */
function apiUrl(c: Context, path: string): string {
  return new URL(`/api/v1${path}`, c.req.url).href;
}

function itemPath({ kind, key, id }: ItemView): string {
  return kind === "app" ? `/apps/${key}/records/${id}` : `/submissions/${id}`;
}

/** 200 with the item and its ETag; 304 where the caller has this version and it still looks the same. */
export function answerItem(c: Context, view: ItemView): Response {
  const document = () => itemDocument(view);
  const etag = etagOf(view.version);
  return view.redefined ? c.json(document(), 200, { ETag: etag }) : answerTagged(c, etag, document);
}

export function answerCreation(c: Context, creation: Once<ItemView>): Response {
  const { answer: view, replayed, mismatch } = creation;
  return c.json(itemDocument(view), 201, {
    Location: apiUrl(c, itemPath(view)),
    ETag: etagOf(view.version),
    ...(replayed ? { "Idempotent-Replayed": "true" } : {}),
    ...(mismatch ? { "Idempotency-Key-Mismatch": "true" } : {}),
  });
}

/** 200 with a representation and its tag; 304 without, for a GET that names the tag. */
export function answerTagged(c: Context, etag: string, document: () => object): Response {
  const known = c.req.method === "GET" || c.req.method === "HEAD" ? ifNoneMatch(c) : null;
  if (known && matches(known, etag)) return c.body(null, 304, { ETag: etag });
  return c.json(document(), 200, { ETag: etag });
}

/** 200 with a document that has no version, tagged by what it says; 304 where the caller has it. */
export async function answerContent(c: Context, document: object): Promise<Response> {
  return answerTagged(c, await contentTag(JSON.stringify(document)), () => document);
}

/** The schema document with its links (contract, section 7). */
export function definitionDocument(
  c: Context,
  { collection, live, indexing, pending }: CollectionNow,
) {
  return {
    ...schemaDocument(collection, live, indexing, pending, Date.now()),
    links: collectionLinks(c, collection.kind, collection.key),
  };
}

export function collectionLinks(c: Context, kind: CollectionKind, key: string) {
  const base = `/${kind}s/${key}`;
  const items = kind === "app" ? "records" : "submissions";
  return {
    self: apiUrl(c, `${base}/schema`),
    openapi: apiUrl(c, `${base}/openapi.json`),
    [items]: apiUrl(c, `${base}/${items}`),
    search: apiUrl(c, `${base}/${items}/search`),
  };
}

/** A page of a list: `links.next` is null at the end, and stands in the Link header too (RFC 8288). */
export function answerPage(c: Context, items: object[], next: string | null): Response {
  const link = next === null ? {} : { Link: `<${next}>; rel="next"` };
  return c.json({ items, links: { self: c.req.url, next } }, 200, link);
}
