import type { Context } from "hono";
import { createItem } from "../actions/items/create-item";
import { itemDocument, writtenDocument } from "../documents/item";
import { viewOf } from "../domain/item/item-view";
import { listPage } from "../actions/items/list-items";
import { updateItem } from "../actions/items/update-item";
import { etagOf } from "../domain/etag";
import { allows, readPermission } from "../domain/credential/permissions";
import { defaultLimit } from "../domain/page-limit";
import { answerDownload, downloadOf } from "../http/answers/download";
import { ifMatch } from "../http/doors/preconditions";
import type { CollectionEnv, FoundEnv } from "./doors";
import { nextUrl, readPosition, type PagingInput } from "../http/doors/paging";
import { answerCreation, answerItem, answerPage } from "./representation";

/** What records and submissions have in common, once their doors are passed. */

type WithBody = { Variables: { body: unknown } };

export async function answerList(
  c: Context<CollectionEnv, string, PagingInput>,
): Promise<Response> {
  const { compiled, action } = c.var;
  const paging = c.req.valid("query");
  const binding = `list ${compiled.collection.id}`;
  const start = await readPosition(c, binding, paging);
  const format = downloadOf(c);
  if (format) {
    const read = async (from: typeof start, items: number) => {
      const step = await listPage(action, compiled, from && Number(from[0]), items);
      return { ...step, more: step.more === null ? null : [step.more] };
    };
    const most = paging.limit ?? null;
    return answerDownload(c, { keys: null, start, most, read }, format);
  }
  const after = start === null ? null : Number(start[0]);
  const { views, more } = await listPage(action, compiled, after, paging.limit ?? defaultLimit);
  const next = more === null ? null : await nextUrl(c, binding, paging, [more]);
  return answerPage(c, views.map(itemDocument), next);
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
