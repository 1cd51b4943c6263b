import { eraseItem } from "#actions/remove-item.ts";
import { getItemWithHistory } from "#actions/changes.ts";
import { collectionPath, dataAssets } from "#admin/definitions/layout.tsx";
import { readForm } from "#admin/form-input.ts";
import { AdminPage, type PageContext } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import type { ItemHistory } from "#domain/item/change.ts";
import { buildItemView, type ItemView } from "#domain/item/item.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { getItem, itemsPath, readIfMatch } from "./load-item.ts";
import { itemTitle } from "./value.tsx";

interface ErasePageProps {
  frame: PageContext;
  collection: Collection;
  view: ItemView;
  history: ItemHistory;
  problem?: Problem | undefined;
}

/** Counts the fields of an item that have a value. */
const filledCount = ({ data }: ItemView): number =>
  Object.values(data).filter((value) => value !== null && !(Array.isArray(value) && !value.length))
    .length;

/** Counts the entries that contain former values. */
const editCount = ({ entries }: ItemHistory): number =>
  entries.filter(({ action }) => !action.endsWith(".create")).length;

/** Shows what an erasure deletes, and asks for confirmation. */
function ErasePage({ frame, collection, view, history, problem: error }: ErasePageProps) {
  const { kind, key, definition } = collection;
  const path = collectionPath[kind];
  const { erasure: text, terms } = frame.text;
  const { many: plural, item } = terms.collections[kind];
  const base = `${path}/${key}/items`;
  const title = itemTitle(view, definition.fields.fields, frame.text);
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={text.title(title)}
      crumbs={[
        [plural, path],
        [definition.name, base],
        [title, `${base}/${view.id}`],
      ]}
      problem={error}
    >
      <form method="post" action={`${base}/${view.id}/erase`} class="inputs">
        <p>{text.warning(item)}</p>
        <ul>
          <li>{text.values(filledCount(view))}</li>
          {editCount(history) > 0 ? (
            <li>{text.changes(editCount(history), history.hasOlder)}</li>
          ) : null}
          <li>{text.response}</li>
        </ul>
        <p class="muted">{text.note(item)}</p>
        <input type="hidden" name="$version" value={String(view.version)} />
        <p class="actions">
          <button type="submit" class="sure">
            {text.erase}
          </button>
          <a class="button quiet" href={`${base}/${view.id}`}>
            {terms.cancel}
          </a>
        </p>
      </form>
    </AdminPage>
  );
}

/** The page that confirms the erasure of a record or submission. */
export function erasePage(kind: CollectionKind) {
  const { show, form } = page({
    async load({ ctx, param }) {
      const name = { kind, key: param("key"), id: param("id") };
      const { loaded, history } = await getItemWithHistory(ctx, name);
      const { item, compiled: access } = loaded;
      return { collection: access.collection, view: buildItemView(item, access), history };
    },
    document: ({ view, history }) => ({
      id: view.id,
      version: view.version,
      fields: filledCount(view),
      changes: editCount(history),
    }),
    render: (frame, data, attempt) => (
      <ErasePage frame={frame} {...data} problem={attempt?.problem} />
    ),
  });
  const erase = form({
    async act({ c, ctx, text }) {
      const target = await getItem(c, kind);
      await eraseItem(ctx, target, readIfMatch(await readForm(c)));
      const { item, compiled } = target;
      const { fields } = compiled.collection.definition.fields;
      const title = itemTitle(buildItemView(item, compiled), fields, text);
      return { to: itemsPath(c, kind), flash: text.erasure.done(title), document: null };
    },
  });
  return { show, erase };
}
