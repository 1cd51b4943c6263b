import { Hono } from "hono";
import { listDeletedCollections, restoreCollection } from "#actions/deletions.ts";
import { AdminPage } from "#admin/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import { action, page, requireAbility } from "#admin/page.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Action } from "#html/action-button.tsx";
import { EmptyState, Table } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import type { AdminEnv } from "#http/env.ts";
import type { DeletedCollection } from "#store/data/deletions.ts";
import { collectionPath, dataAssets } from "./layout.tsx";

function DeletedRow({ deleted, now }: { deleted: DeletedCollection; now: number }) {
  const { id, kind, key, name, itemCount, deletedAt, eraseAt, isErasing } = deleted;
  const { definitionDeletion, terms } = useText();
  const text = definitionDeletion.list;
  const { one, itemCount: countItems } = terms.collections[kind];
  return (
    <tr>
      <th scope="row">
        {name} <small>{one}</small>
      </th>
      <td>
        <code>{key}</code>
      </td>
      <td class="number">{countItems(itemCount)}</td>
      <td>
        <Time at={deletedAt} as="distance" />
      </td>
      <td>
        <Time at={eraseAt} as="distance" />
      </td>
      <td class="end">
        {isErasing || eraseAt <= now ? (
          <span class="muted">{text.erasing}</span>
        ) : (
          <Action action={`/admin/deleted/${id}/restore`} name={text.restore} quiet little />
        )}
      </td>
    </tr>
  );
}

const deletedPage = page({
  load: ({ ctx }) => listDeletedCollections(ctx),
  document: (list) => ({
    items: list.map(({ id, kind, key, name, itemCount, deletedAt, deletedBy, eraseAt }) => ({
      id,
      kind,
      key,
      name,
      items: itemCount,
      deleted_at: formatTimestamp(deletedAt),
      deleted_by: deletedBy,
      erased_from: formatTimestamp(eraseAt),
    })),
  }),
  render(frame, list) {
    const { definitionDeletion, terms } = frame.text;
    const text = definitionDeletion.list;
    return (
      <AdminPage {...dataAssets} frame={frame} title={text.title}>
        {list.length === 0 ? (
          <EmptyState>
            <p>{text.none}</p>
          </EmptyState>
        ) : (
          <Table
            caption={text.title}
            columns={[
              terms.name,
              terms.key,
              { name: text.columns.items, number: true },
              text.columns.deleted,
              text.columns.erased,
              { name: <span class="unseen">{text.restore}</span> },
            ]}
          >
            {list.map((deleted) => (
              <DeletedRow deleted={deleted} now={frame.viewer.now} />
            ))}
          </Table>
        )}
      </AdminPage>
    );
  },
});

const restore = action({
  async act({ ctx, param, text }) {
    const { kind, key, name } = await restoreCollection(ctx, Number(param("id")));
    return {
      to: `${collectionPath[kind]}/${key}/items`,
      flash: text.definitionDeletion.list.restored(name),
      document: null,
    };
  },
});

/** The page of deleted apps and forms. */
export const deletedRoutes = () =>
  new Hono<AdminEnv>()
    .use(requireAbility("erase"))
    .get("/", deletedPage.show)
    .post("/:id/restore", restore);
