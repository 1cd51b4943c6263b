import { getDefinition } from "#actions/definitions.ts";
import { loadViewUsers } from "#actions/view-users.ts";
import { collectionPath, dataAssets } from "#admin/definitions/layout.tsx";
import { AdminPage } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { removeView, requireView } from "./saved.ts";
import { viewCrumbs, ViewUserList } from "./view-pages.tsx";

/** Says who uses a view, and deletes it if nobody does. */
export function deleteViewPage(kind: CollectionKind) {
  const { show, form } = page({
    async load({ ctx, param }) {
      const { collection } = await getDefinition(ctx, kind, param("key"));
      const view = requireView(collection, param("view"));
      return { collection, view, ...(await loadViewUsers(ctx, collection, [view.key])) };
    },
    document: ({ view, users, webhooks }) => ({
      name: view.name,
      credentials: users.map(({ id }) => id),
      webhooks: webhooks.map(({ id }) => id),
    }),
    render(frame, { collection, view, users, webhooks }, attempt) {
      const { itemList, terms } = frame.text;
      const { tools, views: text } = itemList;
      const base = `${collectionPath[kind]}/${collection.key}/items`;
      const isUsed = users.length + webhooks.length > 0;
      return (
        <AdminPage
          {...dataAssets}
          frame={frame}
          title={tools.deleteViewTitle(view.name)}
          crumbs={viewCrumbs(frame, collection)}
          problem={attempt?.problem}
        >
          <p>{isUsed ? text.inUse : tools.deleteViewWarning(terms.collections[kind].items)}</p>
          <ViewUserList {...{ frame, users, webhooks }} />
          <form method="post" action={`${base}/views/${view.key}/delete`}>
            <p class="actions">
              {isUsed ? null : (
                <button type="submit" class="danger">
                  {tools.deleteView}
                </button>
              )}
              <a class="button quiet" href={`${base}?view=${view.key}`}>
                {terms.cancel}
              </a>
            </p>
          </form>
        </AdminPage>
      );
    },
  });
  return { show, remove: form({ act: (request) => removeView(request, kind) }) };
}
