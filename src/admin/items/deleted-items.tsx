import { getDeleted, listDeleted } from "#actions/deleted-items.ts";
import { eraseDeleted } from "#actions/remove-item.ts";
import { restoreItems, type RestoreRefusal } from "#actions/restore-items.ts";
import { collectionPath, dataAssets } from "#admin/definitions/layout.tsx";
import type { Catalogue } from "#admin/language/index.tsx";
import { useText } from "#admin/language/index.tsx";
import { AdminPage, type PageContext } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { buildItemView } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Action } from "#html/action-button.tsx";
import { EmptyState, NextLink, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import type { DeletedItem } from "#store/data/deleted-items.ts";
import { ActorName, ActorNamesContext } from "./actor-name.tsx";
import { itemsPath } from "./load-item.ts";
import { itemTitle, StatusBadge } from "./value.tsx";

/** Returns the reason why an item was not restored, as the end of a sentence. */
export function describeRefusal(
  { collection }: CompiledCollection,
  refusal: RestoreRefusal,
  { deletedItems: text }: Pick<Catalogue, "deletedItems">,
): string {
  const key = "key" in refusal ? refusal.key : "";
  const field = collection.definition.fields.fields.find((each) => each.key === key);
  const value = "value" in refusal ? String(refusal.value) : "";
  return text.refusals[refusal.reason](field?.label ?? key, value);
}

const titleOf = ({ title, receiptNumber, id }: DeletedItem) =>
  title || (receiptNumber ?? `…${id.slice(-8)}`);

const isPosition = /^(\d{1,16})-(\d{1,16})$/;

interface RowProps {
  item: DeletedItem;
  base: string;
  frame: PageContext;
}

function DeletedRow({ item, base, frame }: RowProps) {
  const { deletedItems: text } = useText();
  const title = titleOf(item);
  const number = item.receiptNumber ?? `…${item.id.slice(-8)}`;
  const path = `${base}/deleted/${item.id}`;
  return (
    <tr>
      <th scope="row">
        <bdi>{title}</bdi>
        {item.title ? <small class="muted"> {number}</small> : null}{" "}
        <StatusBadge status={item.status} />
      </th>
      <td data-label={text.columns.deleted}>
        <span>
          <Time at={item.deletedAt} />{" "}
          <small>{text.by(<ActorName actor={item.deletedBy} frame={frame} />)}</small>
        </span>
      </td>
      <td data-label={text.columns.erased}>
        <Time at={item.eraseAt} as="day" />
      </td>
      <td class="end">
        <div class="actions">
          <Action action={`${path}/restore`} name={text.restore} quiet little />
          {roleAllows(frame.member.role, "erase") ? (
            <a class="button danger little" href={`${path}/erase`}>
              {text.erase}…
            </a>
          ) : null}
        </div>
      </td>
    </tr>
  );
}

function crumbsOf({ frame, collection }: { frame: PageContext; collection: Collection }) {
  const { kind, key, definition } = collection;
  const path = collectionPath[kind];
  return [
    [frame.text.terms.collections[kind].many, path],
    [definition.name, `${path}/${key}/items`],
  ] as const;
}

const documentOf = (item: DeletedItem) => ({
  id: item.id,
  receipt_number: item.receiptNumber,
  title: item.title,
  status: item.status,
  deleted_at: formatTimestamp(item.deletedAt),
  deleted_by: item.deletedBy,
  erased_from: formatTimestamp(item.eraseAt),
});

/** The pages of the items of an app or form that members deleted and can restore. */
export function deletedItems(kind: CollectionKind) {
  const list = page({
    async load({ c, ctx, param }) {
      const [, eraseAt, number] = isPosition.exec(c.req.query("after") ?? "") ?? [];
      const after = number ? { eraseAt: Number(eraseAt), number: Number(number) } : null;
      const { next, ...found } = await listDeleted(ctx, { kind, key: param("key") }, after);
      const base = `${collectionPath[kind]}/${param("key")}/items`;
      const nextPath = next && `${base}/deleted?after=${next.eraseAt}-${next.number}`;
      return { ...found, base, next: nextPath };
    },
    document: ({ items, next }) => ({ items: items.map(documentOf), links: { next } }),
    render(frame, { collection, items, base, next }, attempt) {
      const { deletedItems: text, terms } = frame.text;
      const words = terms.collections[kind];
      const names = new Map(
        items.flatMap(({ deletedBy, actorName }) =>
          actorName === null ? [] : [[deletedBy as string, actorName] as const],
        ),
      );
      const { item: itemColumn, deleted, erased } = text.columns;
      return (
        <AdminPage
          {...dataAssets}
          frame={frame}
          title={text.title}
          crumbs={crumbsOf({ frame, collection })}
          problem={attempt?.problem}
        >
          {items.length === 0 ? (
            <EmptyState>
              <p>{text.none(words.items)}</p>
            </EmptyState>
          ) : (
            <>
              <p class="muted">{text.note(words.items)}</p>
              <ActorNamesContext.Provider value={names}>
                <Table
                  caption={text.title}
                  columns={[
                    itemColumn,
                    deleted,
                    erased,
                    { name: <span class="unseen">{text.restore}</span> },
                  ]}
                >
                  {items.map((item) => (
                    <DeletedRow {...{ item, base, frame }} />
                  ))}
                </Table>
              </ActorNamesContext.Provider>
            </>
          )}
          <NextLink href={next} name={text.more} />
        </AdminPage>
      );
    },
  });

  const restore = list.form({
    async act({ c, ctx, param, text }) {
      const id = param("id");
      const { compiled, results } = await restoreItems(ctx, { kind, key: param("key") }, [id]);
      const [result] = results;
      if (!result || result.refusal?.reason === "gone") throw problem.notFound();
      if (result.refusal) {
        const reason = describeRefusal(compiled, result.refusal, text);
        throw problem.explainedConflict(text.deletedItems.notRestored(reason));
      }
      const to = `${itemsPath(c, kind)}/${id}`;
      const { fields } = compiled.collection.definition.fields;
      const { item } = result;
      const title = item
        ? itemTitle(buildItemView(item, compiled), fields, text)
        : `…${id.slice(-8)}`;
      return { to, flash: text.deletedItems.restored(title), document: { id } };
    },
  });
  return { show: list.show, restore };
}

/** The page that confirms the erasure of a deleted item. */
export function deletedItemErasure(kind: CollectionKind) {
  const { show, form } = page({
    load: ({ ctx, param }) => getDeleted(ctx, { kind, key: param("key"), id: param("id") }),
    document: ({ item }) => documentOf(item),
    render(frame, { collection, item }, attempt) {
      const { deletedItems: text, terms, erasure: erasureText } = frame.text;
      const base = `${collectionPath[kind]}/${collection.key}/items/deleted`;
      return (
        <AdminPage
          {...dataAssets}
          frame={frame}
          title={text.eraseTitle(titleOf(item))}
          crumbs={[...crumbsOf({ frame, collection }), [text.title, base]]}
          problem={attempt?.problem}
        >
          <form method="post" action={`${base}/${item.id}/erase`} class="inputs">
            <p>{text.eraseConfirm}</p>
            <p class="actions">
              <button type="submit" class="sure">
                {erasureText.erase}
              </button>
              <a class="button quiet" href={base}>
                {terms.cancel}
              </a>
            </p>
          </form>
        </AdminPage>
      );
    },
  });
  const erase = form({
    async act({ c, ctx, param, text }) {
      const name = { kind, key: param("key"), id: param("id") };
      const { collection, item } = await getDeleted(ctx, name);
      await eraseDeleted(ctx, collection, item.number);
      const flash = text.erasure.done(titleOf(item));
      return { to: `${itemsPath(c, kind)}/deleted`, flash, document: null };
    },
  });
  return { show, erase };
}
