import type { Context } from "hono";
import { createItem } from "#actions/create-item.ts";
import { itemDocument, writtenDocument } from "#documents/items.ts";
import { viewOf } from "#domain/item/item.ts";
import { listPage, type ListPage } from "#actions/list-items.ts";
import { updateItem } from "#actions/update-item.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { etagOf } from "#domain/preconditions.ts";
import { allows, readPermission } from "#domain/credential/permissions.ts";
import { defaultLimit } from "#domain/cursor.ts";
import { answerDownload, wantedFormat, type Format } from "#http/download.ts";
import { sentQuery } from "#http/query.ts";
import { asking, type Question } from "#http/doors/question.ts";
import { ifMatch } from "#http/request.ts";
import type { CollectionEnv, FoundEnv } from "./doors.ts";
import { nextUrl, page, readPosition, type Paging, type PagingInput } from "#http/paging.ts";
import { answerCreation, answerItem, answerPage } from "./representation.ts";

/** What records and submissions have in common, once their doors are passed. */

type WithBody = { Variables: { body: unknown } };

type Listed = ListPage & { bookmark: string | null };

/** A list of one kind: a page of it, or all of it as one download. */
export function answerList(kind: CollectionKind) {
  const question: Question<Listed | Format> = async (ctx, { key = "" }, c) => {
    const paging = sentQuery(c, page);
    const start = await readPosition(c, bindingOf(kind, key), paging, ctx.versions);
    const format = wantedFormat(c);
    if (format) return format;
    const after = start && Number(start[0]);
    const read = await listPage(ctx, kind, key, after, paging.limit ?? defaultLimit);
    return { ...read, bookmark: ctx.versions.reached() };
  };
  return asking(question, async (c: Context<CollectionEnv, string, PagingInput>) => {
    const { key } = c.var.compiled.collection;
    const paging = c.req.valid("query");
    const listed = await c.var.read(question);
    if ("type" in listed) return download(c, kind, key, paging, listed);
    const { views, more, bookmark } = listed;
    const binding = bindingOf(kind, key);
    const next = more === null ? null : await nextUrl(c, binding, paging, [more], bookmark);
    return answerPage(c, views.map(itemDocument), next);
  });
}

/** By its key, which an isolate knows that has not seen the collection yet. */
const bindingOf = (kind: CollectionKind, key: string) => `list ${kind}:${key}`;

async function download(
  c: Context<CollectionEnv>,
  kind: CollectionKind,
  key: string,
  paging: Paging,
  format: Format,
): Promise<Response> {
  const start = await readPosition(c, bindingOf(kind, key), paging);
  const read = async (from: typeof start, items: number) => {
    const step = await listPage(c.var.action, kind, key, from && Number(from[0]), items);
    return { ...step, more: step.more === null ? null : [step.more] };
  };
  const most = paging.limit ?? null;
  return answerDownload(c, { keys: null, start, most, read }, format);
}

export async function answerCreate(c: Context<CollectionEnv & WithBody>): Promise<Response> {
  const { action, compiled, body, sentKey } = c.var;
  return answerCreation(c, await createItem(action, compiled, body, sentKey));
}

export function answerFound(c: Context<FoundEnv>): Response {
  const { item, compiled } = c.var.found;
  return answerItem(c, viewOf(item, compiled));
}

export async function answerUpdate(c: Context<FoundEnv & WithBody>): Promise<Response> {
  const { action, found, body } = c.var;
  const view = await updateItem(action, found, body, ifMatch(c));
  if (allows(action.permissions, readPermission[view.kind])) return answerItem(c, view);
  return c.json(writtenDocument(view, found.compiled, body), 200, { ETag: etagOf(view.version) });
}
