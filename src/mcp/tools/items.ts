import { createItem } from "#actions/create-item.ts";
import { updateItem } from "#actions/update-item.ts";
import { validateItem } from "#actions/list-items.ts";
import { searchItems, type BrowsedPage } from "#actions/query-items.ts";
import { findRecord, findSubmission, visible, visibleCollection, visibleRecord, visibleSubmission, type Found } from "#actions/visible.ts";
import { likelyCollection } from "#actions/collection-cache.ts";
import type { ActionContext } from "#actions/context.ts";
import { isVisible } from "#domain/credential/credential.ts";
import { allows, readPermission } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { viewOf } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { checkedDocument, itemDocument, writtenDocument } from "#documents/items.ts";
import { nounOf } from "#documents/openapi/names.ts";
import { cursorAt, readPosition, searchBinding } from "#http/paging.ts";
import { itemInput, plainInput, searchInput } from "./inputs.ts";
import { parameterSchemas, preconditionOf, refuseRest, take } from "./parameters.ts";
import type { Sent, Tool } from "./tool.ts";

/** Tools about the items of apps, or of forms; they do what the routes of the API do. */

const reads = { write: false, once: false };
const harmless = { destructive: false, idempotent: true };

export function itemTools(kind: CollectionKind): Tool[] {
  const { many } = nounOf(kind);
  return [
    searching(kind),
    getting(kind),
    creating(kind),
    updating(kind),
    ...(kind === "form" ? [validating] : []),
  ].map((tool) => ({ ...tool, description: tool.description.replaceAll("…", many) }));
}

/** The key of the app or form, from the name of the tool or as it was sent; and the rest of what was sent. */
function whose(kind: CollectionKind, sent: Sent, own: string | undefined) {
  if (own !== undefined) return { key: own, rest: sent };
  const { body: rest, ...taken } = take(sent, kind);
  return { key: Object.values(taken).join(), rest };
}

const within = (kind: CollectionKind, own: unknown) => (own ? [] : [kind]);

interface Searched extends Pick<BrowsedPage, "views" | "more"> {
  binding: string;
  bookmark: string | null;
}

const searching = (kind: CollectionKind): Tool<Searched> => ({
  name: `search_${nounOf(kind).many}`,
  title: `Search ${nounOf(kind).many}`,
  description:
    "Finds … by conditions that all hold, newest first unless they are sorted; without conditions, all of them.",
  permission: readPermission[kind],
  effect: reads,
  hints: harmless,
  kind,
  input: (own) => searchInput(parameterSchemas(...within(kind, own)), own),
  async read(ctx, c, sent, own) {
    const { key, rest: body } = whose(kind, sent, own);
    const likely = await likelyCollection(ctx, kind, key);
    if (!likely) throw problem.notFound();
    const binding = await searchBinding(likely.collection.id, body);
    const cursor = typeof body["cursor"] === "string" ? body["cursor"] : undefined;
    const start = await readPosition(c, binding, { cursor }, ctx.versions);
    const { views, more } = await searchItems(ctx, likely, body, start);
    return { views, more, binding, bookmark: ctx.versions.reached() };
  },
  async call(c, sent, own, given) {
    const { key } = whose(kind, sent, own);
    if (!isVisible(c.var.action.resources, kind, key)) throw problem.notFound();
    const { views, more, binding, bookmark } = await given();
    const items = views.map(itemDocument);
    return { items, next_cursor: more && (await cursorAt(c, binding, more, bookmark)) };
  },
});

const getting = (kind: CollectionKind): Tool<Found> => ({
  name: `get_${nounOf(kind).thing}`,
  title: `Get a ${nounOf(kind).thing}`,
  description: `One of the …, with its etag.`,
  permission: readPermission[kind],
  effect: reads,
  hints: harmless,
  kind: null,
  input: () => plainInput(parameterSchemas(...(kind === "app" ? (["app"] as const) : []), "id")),
  async read(ctx, _, sent) {
    const { key, rest } =
      kind === "app" ? whose(kind, sent, undefined) : { key: undefined, rest: sent };
    const { id, body } = take(rest, "id");
    refuseRest(body);
    return key === undefined ? findSubmission(ctx, id) : findRecord(ctx, key, id);
  },
  async call(c, _, __, given) {
    const { item, compiled } = visible(c.var.action, await given());
    return itemDocument(viewOf(item, compiled));
  },
});

const creating = (kind: CollectionKind): Tool => ({
  name: `create_${nounOf(kind).thing}`,
  title: `Create a ${nounOf(kind).thing}`,
  description: "Adds one to the …, once for each idempotency_key.",
  permission: kind === "app" ? "records:create" : "submissions:create",
  effect: { write: true, once: true },
  hints: { destructive: false, idempotent: false },
  kind,
  input: (own) =>
    itemInput("create", kind, parameterSchemas(...within(kind, own), "idempotency_key"), own),
  async call(c, sent, own) {
    const { action, sentKey } = c.var;
    const { key, rest } = whose(kind, sent, own);
    const { body } = take(rest, "idempotency_key");
    const known = await visibleCollection(action, kind, key);
    const { answer, replayed, mismatch } = await createItem(action, known, body, sentKey);
    return {
      ...itemDocument(answer),
      ...(replayed ? { idempotent_replayed: true } : {}),
      ...(mismatch ? { idempotency_key_mismatch: true } : {}),
    };
  },
});

const updating = (kind: CollectionKind): Tool => ({
  name: `update_${nounOf(kind).thing}`,
  title: `Update a ${nounOf(kind).thing}`,
  description:
    "Changes one of the …: the fields that are sent; null empties one, and rows are replaced as a whole.",
  permission: kind === "app" ? "records:write" : "submissions:write",
  effect: { write: true, once: false },
  hints: { destructive: true, idempotent: true },
  kind,
  input: (own) => {
    const app = kind === "app" ? within(kind, own) : [];
    return itemInput("update", kind, parameterSchemas(...app, "id", "if_match"), own);
  },
  async call(c, sent, own) {
    const { action } = c.var;
    const { key, rest } = kind === "app" ? whose(kind, sent, own) : { key: own, rest: sent };
    const { id, if_match, body } = take(rest, "id", "if_match");
    const ifMatch = preconditionOf(if_match);
    const found = await itemAt(action, kind, id, key);
    const view = await updateItem(action, found, body, ifMatch);
    return allows(action.permissions, readPermission[kind])
      ? itemDocument(view)
      : writtenDocument(view, found.compiled, body);
  },
});

const validating: Tool = {
  name: "validate_submission",
  title: "Validate a submission",
  description: "Everything that a create of … would check; nothing is stored.",
  permission: "submissions:create",
  effect: reads,
  hints: harmless,
  kind: "form",
  input: (own) => itemInput("validate", "form", parameterSchemas(...within("form", own)), own),
  async call(c, sent, own) {
    const { key, rest: body } = whose("form", sent, own);
    const known = await visibleCollection(c.var.action, "form", key);
    return checkedDocument(await validateItem(c.var.action, known, body));
  },
};

/** A submission is found by its id alone; where a key is named, it is of that form. */
async function itemAt(
  ctx: ActionContext,
  kind: CollectionKind,
  id: string,
  key: string | undefined,
) {
  if (kind === "app") return visibleRecord(ctx, key ?? "", id);
  const found = await visibleSubmission(ctx, id);
  if (key !== undefined && found.compiled.collection.key !== key) throw problem.notFound();
  return found;
}
