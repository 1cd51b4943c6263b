import * as z from "zod/mini";
import { chooseColumns, deleteFilter, saveFilter, updateFilter } from "#actions/list-settings.ts";
import { getDefinition } from "#actions/definitions.ts";
import { patchDefinition } from "#actions/patch-definition.ts";
import { checkViewEffects } from "#actions/view-users.ts";
import type { Collection, CollectionKind, View } from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { etagOf } from "#domain/preconditions.ts";
import { findView } from "#domain/search/view.ts";
import { isStorable, storableDescription } from "#domain/text.ts";
import { makeKey } from "#admin/definitions/draft.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { viewerOf } from "#admin/preferences.ts";
import { action, type AdminRequest, type Outcome } from "#admin/page.ts";
import { itemsPath } from "#admin/items/load-item.ts";
import { nonEmptyTexts } from "#admin/items/form/values.ts";
import { columnSeparator } from "./columns.ts";
import { buildSearchBody, changedView, type Clock } from "./filters.ts";
import { parseQuery, searchPath, type Query } from "./query.ts";
import { filterPath, searchOf } from "./tabs.ts";
import { confirmChange } from "./view-pages.tsx";

const maxSearchLength = 4000;

const searchSchema = () => z._default(z.string().check(z.maxLength(maxSearchLength)), "");

const nameSchema = () =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1),
      z.maxLength(200),
      z.refine(isStorable, `Must be ${storableDescription}.`),
    );

const FilterInput = lazy(() =>
  z.object({ name: nameSchema(), search: searchSchema(), columns: z.optional(z.string()) }),
);

/** A new name, or the list whose filters, sort and columns replace the saved ones. */
const ChangeInput = lazy(() =>
  z.object({
    name: z.optional(nameSchema()),
    search: z.optional(z.string().check(z.maxLength(maxSearchLength))),
    sure: z.optional(z.string()),
  }),
);

type ViewChange = z.infer<ReturnType<typeof ChangeInput>>;

const ColumnsInput = lazy(() =>
  z.object({
    search: searchSchema(),
    columns: z.optional(z.union([z.string(), z.array(z.string())])),
  }),
);

/** The search of the form, with the visible columns if the member wants to save them. */
function readSearch({ search, columns }: { search: string; columns?: string | undefined }): Query {
  const query = parseQuery(search);
  const keys = columns?.split(columnSeparator).filter((key) => key !== "");
  return keys && keys.length > 0 ? { ...query, columns: keys } : query;
}

/** Remembers the columns of a list, saves the member's own filters, and saves filters as views for everyone. */
export function savedLists(kind: CollectionKind) {
  const listOf = ({ param }: AdminRequest) => `${kind}:${param("key")}`;
  return {
    columns: action({
      fields: ColumnsInput,
      async act(request, { search, columns }) {
        const keys = nonEmptyTexts(columns);
        const query = parseQuery(search);
        const document = { columns: keys };
        const base = itemsPath(request.c, kind);
        // A tab has columns of its own. They are saved with its other changes.
        if (query.view !== undefined || query.tab !== undefined)
          return { to: searchPath(base, { ...query, columns: keys }), document };
        await chooseColumns(request.ctx, listOf(request), keys);
        const flash = request.text.itemList.saved.columns;
        return { to: searchPath(base, query), flash, document };
      },
    }),
    filter: action({
      fields: FilterInput,
      async act(request, input) {
        const search = searchOf({ ...readSearch(input), tab: undefined });
        const id = await saveFilter(request.ctx, listOf(request), { name: input.name, search });
        const to = filterPath(itemsPath(request.c, kind), { id, search });
        const document = { id, name: input.name, search };
        const flash = request.text.itemList.saved.filter(input.name);
        return { to, flash, document, status: 201 };
      },
    }),
    changeFilter: action({
      fields: ChangeInput,
      async act(request, { name, search: sent }) {
        const search = sent && searchOf({ ...parseQuery(sent), tab: undefined });
        const changes = { name, search };
        const id = request.param("filter");
        const filter = await updateFilter(request.ctx, listOf(request), id, changes);
        const flash = request.text.itemList.saved.filter(filter.name);
        return { to: filterPath(itemsPath(request.c, kind), filter), flash, document: filter };
      },
    }),
    removeFilter: action({
      async act(request) {
        await deleteFilter(request.ctx, listOf(request), request.param("filter"));
        const flash = request.text.itemList.saved.filterDeleted;
        return { to: itemsPath(request.c, kind), flash, document: null };
      },
    }),
    view: action({
      fields: FilterInput,
      act: (request, input) => createView(request, kind, input),
    }),
    changeView: action({
      fields: ChangeInput,
      act: (request, input) => updateView(request, kind, input),
    }),
  };
}

async function createView(
  request: AdminRequest,
  kind: CollectionKind,
  input: { name: string; search: string; columns?: string | undefined },
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
  return { to, flash: text.view(input.name), document, status: 201 };
}

/** Renames a view, or replaces what it saves. Asks first if credentials or webhooks use it. */
async function updateView(
  request: AdminRequest,
  kind: CollectionKind,
  { name, search, sure }: ViewChange,
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
  if (query && sure === undefined) {
    const { collection } = await getDefinition(ctx, kind, param("key"));
    const { views } = change(collection);
    const after = { ...collection.definition, views };
    const { users, webhooks } = await checkViewEffects(ctx, collection, after);
    if (users.length + webhooks.length > 0) {
      const before = requireView(collection, key);
      const view = requireView({ ...collection, definition: after }, key);
      return confirmChange({ collection, before, view, search, users, webhooks });
    }
  }
  const result = await changeViews(request, kind, change);
  const document = { key, name: result };
  return { to: `${itemsPath(c, kind)}?view=${key}`, flash: text.view(result), document };
}

export async function removeView(request: AdminRequest, kind: CollectionKind): Promise<Outcome> {
  const name = await changeViews(request, kind, (current) => {
    const view = requireView(current, request.param("view"));
    const views = current.definition.views ?? [];
    return { views: views.filter(({ key }) => key !== view.key), result: view.name };
  });
  const flash = request.text.itemList.saved.viewDeleted(name);
  return { to: itemsPath(request.c, kind), flash, document: null };
}

export function requireView(collection: Collection, key: string): View {
  const view = findView(collection, key);
  if (!view) throw problem.notFound();
  return view;
}

const keyOf = ({ key }: View) => key;

const maxAttempts = 5;

/** Changes the views of the current definition. Starts again when someone else changed it meanwhile. */
async function changeViews(
  { ctx, param }: AdminRequest,
  kind: CollectionKind,
  change: (collection: Collection) => { views: View[]; result: string },
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await getDefinition(ctx, kind, param("key"));
    const { views, result } = change(current.collection);
    try {
      await patchDefinition(ctx, current, { views }, [etagOf(current.collection.version)]);
      return result;
    } catch (error) {
      const isOutdated = error instanceof Problem && error.code === "version_mismatch";
      if (!isOutdated || attempt === maxAttempts) throw error;
    }
  }
}

/** The query as a view. Views contain neither a text search nor days that move with the calendar. */
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
  const fields = query.columns ?? (base ?? changedView(collection, query))?.fields;
  return {
    name,
    conditions: [...(base?.conditions ?? []), ...conditions],
    ...(order ? { sort: order } : {}),
    ...(fields ? { fields } : {}),
  };
}
