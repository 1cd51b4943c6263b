import { Hono } from "hono";
import { listDeletedCollections, restoreCollection } from "#actions/deletions.ts";
import { AdminPage } from "#admin/layout.tsx";
import { action, page, requireAbility } from "#admin/page.ts";
import { formatTimestamp } from "#domain/time.ts";
import { Action } from "#html/action-button.tsx";
import { EmptyState, Table } from "#html/parts.tsx";
import { formatCount, Time } from "#html/viewer.tsx";
import type { AdminEnv } from "#http/env.ts";
import type { DeletedCollection } from "#store/data/deletions.ts";
import { collectionTerms, dataAssets } from "./layout.tsx";

function DeletedRow({ deleted, now }: { deleted: DeletedCollection; now: number }) {
  const { id, kind, key, name, itemCount, deletedAt, eraseAt, isErasing } = deleted;
  const { one, items } = collectionTerms[kind];
  return (
    <tr>
      <th scope="row">
        {name} <small>{one}</small>
      </th>
      <td>
        <code>{key}</code>
      </td>
      <td class="number">
        {formatCount(itemCount)} <span class="muted">{items}</span>
      </td>
      <td>
        <Time at={deletedAt} as="distance" />
      </td>
      <td>
        <Time at={eraseAt} as="distance" />
      </td>
      <td class="end">
        {isErasing || eraseAt <= now ? (
          <span class="muted">Being erased</span>
        ) : (
          <Action action={`/admin/deleted/${id}/restore`} name="Restore" quiet little />
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
  render: (frame, list) => (
    <AdminPage {...dataAssets} frame={frame} title="Deleted apps and forms">
      {list.length === 0 ? (
        <EmptyState>
          <p>Deleted apps and forms stay here for 7 days, so that you can restore them.</p>
        </EmptyState>
      ) : (
        <Table
          caption="Deleted apps and forms"
          columns={[
            "Name",
            "Key",
            { name: "Holds", number: true },
            "Deleted",
            "Erased",
            { name: <span class="unseen">Restore</span> },
          ]}
        >
          {list.map((deleted) => (
            <DeletedRow deleted={deleted} now={frame.viewer.now} />
          ))}
        </Table>
      )}
    </AdminPage>
  ),
});

const restore = action({
  async act({ ctx, param }) {
    const { kind, key, name } = await restoreCollection(ctx, Number(param("id")));
    return {
      to: `${collectionTerms[kind].path}/${key}/items`,
      flash: `${name} is restored.`,
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
