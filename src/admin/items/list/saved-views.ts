import * as z from "zod/mini";
import type { ActionContext } from "#actions/context.ts";
import { getDefinition } from "#actions/definitions.ts";
import { deleteFilter, saveFilter, updateFilter } from "#actions/list-settings.ts";
import { loadOperandNames } from "#actions/operand-names.ts";
import { patchDefinition } from "#actions/patch-definition.ts";
import { queryItems } from "#actions/query-items.ts";
import { getCollection } from "#actions/visible.ts";
import { checkViewEffects, loadViewUsers } from "#actions/view-users.ts";
import type { Collection, CollectionKind, View } from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { etagOf } from "#domain/preconditions.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { dependsOnCaller, findView } from "#domain/search/view.ts";
import type { MatchCount } from "#store/data/search/count.ts";
import { makeKey } from "#admin/definitions/draft.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { action, type AdminRequest, type Outcome } from "#admin/page.ts";
import { type Flash, viewerOf } from "#admin/preferences.ts";
import { sharePath } from "#admin/credentials/describe.ts";
import { itemsPath } from "#admin/items/load-item.ts";
import { fieldColumns } from "./columns.ts";
import { buildSearchBody, changedView, type Clock } from "./filters.ts";
import { parseQuery, type Query } from "./query.ts";
import { ChangeInput, FilterInput, readSearch, type SavedChange } from "./saved-input.ts";
import { expandView, filterPath, searchOf, withoutTab } from "./tabs.ts";
import { confirmChange, confirmDeletion } from "./view-pages.tsx";

const DeletionInput = lazy(() =>
  // With `keep`, the member keeps the view as a saved filter.
  z.object({ review: z.optional(z.string()), keep: z.optional(z.string()) }),
);

/** Saves lists as views for everyone, and changes and deletes views. */
export function savedViews(kind: CollectionKind) {
  return {
    create: action({
      fields: FilterInput,
      act: (request, input) => createView(request, kind, input),
    }),
    change: action({
      fields: ChangeInput,
      act: (request, input) => updateView(request, kind, input),
    }),
    share: action({ act: (request) => shareFilter(request, kind) }),
    remove: action({
      fields: DeletionInput,
      async act(request, { review, keep }) {
        const isKept = keep !== undefined;
        if (review === undefined)
          return isKept ? stopSharing(request, kind) : removeView(request, kind);
        const { ctx, param } = request;
        const { collection } = await getDefinition(ctx, kind, param("key"));
        const view = requireView(collection, param("view"));
        const users = await loadViewUsers(ctx, collection, [view.key]);
        return confirmDeletion({ collection, view, isKept, ...users });
      },
    }),
  };
}

/**
 * Saves the member's own filter as a view of the definition, and then deletes it. A failure in between deletes nothing.
 */
async function shareFilter(request: AdminRequest, kind: CollectionKind): Promise<Outcome> {
  const { ctx, param } = request;
  const [list, id] = [`${kind}:${param("key")}`, param("filter")];
  const filter = await updateFilter(ctx, list, id, {});
  const outcome = await createView(request, kind, filter, request.text.itemList.saved.viewShared);
  // The member may have deleted it in another window.
  await deleteFilter(ctx, list, id).catch(() => undefined);
  return outcome;
}

/** Saves a view as the member's own filter, and then deletes it from the definition. If that fails, nothing changes. */
async function stopSharing(request: AdminRequest, kind: CollectionKind): Promise<Outcome> {
  const { c, ctx, param, text } = request;
  const list = `${kind}:${param("key")}`;
  const { collection } = await getDefinition(ctx, kind, param("key"));
  const { key, name } = requireView(collection, param("view"));
  const query = expandView(collection, parseQuery(`view=${key}`), viewerOf(c));
  const search = searchOf(withoutTab(collection, query));
  const id = await saveFilter(ctx, list, { name, search });
  try {
    await removeView(request, kind);
  } catch (error) {
    await deleteFilter(ctx, list, id);
    throw error;
  }
  const to = filterPath(itemsPath(c, kind), { id, search });
  return { to, flash: text.itemList.saved.viewNotShared(name), document: { id, name, search } };
}

async function createView(
  request: AdminRequest,
  kind: CollectionKind,
  input: { name: string; search: string; columns?: string | undefined },
  message = request.text.itemList.saved.view,
): Promise<Outcome> {
  const { c } = request;
  const text = request.text.itemList.saved;
  const query = readSearch(input);
  const key = await changeViews(request, kind, (current) => {
    const views = current.definition.views ?? [];
    const view = toView(current, query, input.name, viewerOf(c), text);
    const added = { ...view, key: makeKey(input.name, "view", new Set(views.map(keyOf))) };
    return { views: [...views, added], result: added.key };
  });
  const to = `${itemsPath(c, kind)}?view=${key}`;
  const document = { key, name: input.name };
  return { to, flash: savedFlash(request, kind, document, message), document, status: 201 };
}

/** Returns the confirmation that a view was saved, with a link to share it. */
const savedFlash = (
  { param, text }: AdminRequest,
  kind: CollectionKind,
  view: Pick<View, "key" | "name">,
  message = text.itemList.saved.view,
): Flash => ({
  text: message(view.name),
  isPartial: false,
  link: sharePath({ kind, key: param("key") }, view),
  linkName: text.itemList.tools.shareView,
});

/**
 * Renames a view, or replaces its content. Asks first if credentials or webhooks use the view, and again if the
 * definition has changed since.
 */
async function updateView(
  request: AdminRequest,
  kind: CollectionKind,
  { name, search, sure, version }: SavedChange,
): Promise<Outcome> {
  const { c, ctx, param } = request;
  const key = param("view");
  const text = request.text.itemList.saved;
  const query = search === undefined ? undefined : parseQuery(search);
  const change = (current: Collection) => {
    const view = requireView(current, key);
    const content = query ? toView(current, query, view.name, viewerOf(c), text) : {};
    const changed = { ...view, ...content, key, name: name ?? view.name };
    const views = (current.definition.views ?? []).map((each) =>
      each.key === key ? changed : each,
    );
    return { views, result: changed.name };
  };
  const review = async (isOutdated: boolean): Promise<Outcome | undefined> => {
    const { collection } = await getDefinition(ctx, kind, param("key"));
    const { views } = change(collection);
    const after = { ...collection.definition, views };
    const { users, webhooks } = await checkViewEffects(ctx, collection, after);
    if (!isOutdated && users.length + webhooks.length === 0) return undefined;
    const before = requireView(collection, key);
    const view = requireView({ ...collection, definition: after }, key);
    const [now, then, names] = await Promise.all([
      countMatches(ctx, collection, before),
      countMatches(ctx, collection, view),
      loadOperandNames(ctx, collection, collection.definition.fields.fields, [before, view]),
    ]);
    const counts = { before: now, after: then };
    const described = { collection, before, view, names, counts, search, isOutdated };
    return confirmChange({ ...described, users, webhooks });
  };
  const question = query && sure === undefined ? await review(false) : undefined;
  if (question) return question;
  try {
    const result = await changeViews(request, kind, change, version);
    const document = { key, name: result };
    const flash = query ? savedFlash(request, kind, document) : text.view(result);
    return { to: `${itemsPath(c, kind)}?view=${key}`, flash, document };
  } catch (error) {
    const asked =
      version !== undefined && isVersionMismatch(error) ? await review(true) : undefined;
    if (asked) return asked;
    throw error;
  }
}

/** Counts the items that a view shows. Null if the number depends on the caller. */
async function countMatches(
  ctx: ActionContext,
  { kind, key }: Collection,
  view: View,
): Promise<MatchCount | null> {
  if (dependsOnCaller(view)) return null;
  const body = { conditions: view.conditions ?? [] };
  const query = { body, isForPeople: true };
  return (await queryItems(ctx, await getCollection(ctx, kind, key), query, null, 1)).count;
}

async function removeView(request: AdminRequest, kind: CollectionKind): Promise<Outcome> {
  const name = await changeViews(request, kind, (current) => {
    const view = requireView(current, request.param("view"));
    const views = current.definition.views ?? [];
    return { views: views.filter(({ key }) => key !== view.key), result: view.name };
  });
  const flash = request.text.itemList.saved.viewDeleted(name);
  return { to: itemsPath(request.c, kind), flash, document: null };
}

function requireView(collection: Collection, key: string): View {
  const view = findView(collection, key);
  if (!view) throw problem.notFound();
  return view;
}

const keyOf = ({ key }: View) => key;

const maxAttempts = 5;

const isVersionMismatch = (error: unknown): boolean =>
  error instanceof Problem && error.code === "version_mismatch";

/**
 * Changes the views of the definition with this version. Without a version, starts again when someone else changes the
 * definition concurrently.
 */
async function changeViews(
  { ctx, param }: AdminRequest,
  kind: CollectionKind,
  change: (collection: Collection) => { views: View[]; result: string },
  version?: number,
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await getDefinition(ctx, kind, param("key"));
    const { views, result } = change(current.collection);
    try {
      const expected = etagOf(version ?? current.collection.version);
      await patchDefinition(ctx, current, { views }, [expected]);
      return result;
    } catch (error) {
      const isRepeated = version === undefined && attempt < maxAttempts;
      if (!isRepeated || !isVersionMismatch(error)) throw error;
    }
  }
}

/** Converts the query to a view. Views contain neither a text search nor relative days. */
function toView(
  collection: Collection,
  query: Query,
  name: string,
  clock: Clock,
  text: Catalogue["itemList"]["saved"],
): Omit<View, "key"> {
  const errors: FieldError[] = [];
  const reject = (reason: string) =>
    errors.push({ field: "search", code: "invalid_condition", reason });
  if (query.text !== "") {
    reject(text.textInView);
  }
  if (query.filters.some(({ op }) => op === "days")) {
    reject(text.daysInView);
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
  const { conditions, sort } = buildSearchBody(collection, query, clock);
  const base = query.view === undefined ? undefined : findView(collection, query.view);
  const order = sort ?? base?.sort;
  const columns = query.columns && fieldColumns(query.columns);
  const fields = columns ?? (base ?? changedView(collection, query))?.fields;
  return {
    name,
    conditions: [...(base?.conditions ?? []), ...conditions],
    ...(order ? { sort: order } : {}),
    ...(fields ? { fields } : {}),
  };
}
