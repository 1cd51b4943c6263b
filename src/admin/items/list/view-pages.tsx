import type { OperandNames } from "#actions/operand-names.ts";
import type { ViewEffects } from "#actions/view-users.ts";
import { describeView } from "#admin/describe-view.ts";
import { collectionPath, dataAssets } from "#admin/definitions/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import { AdminPage, type PageContext } from "#admin/layout.tsx";
import type { Outcome } from "#admin/page.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { Collection, CollectionKind, View } from "#domain/definition/collection.ts";
import type { MatchCount } from "#store/data/search/count.ts";

type Users = Pick<ViewEffects, "users" | "webhooks">;

const itemsPath = ({ kind, key }: Collection) => `${collectionPath[kind]}/${key}/items`;

/** Returns the parent pages of a page about a view. */
const viewCrumbs = ({ text }: PageContext, collection: Collection) =>
  [
    [text.terms.collections[collection.kind].many, collectionPath[collection.kind]],
    [collection.definition.name, itemsPath(collection)],
  ] as const;

const userIds = ({ users, webhooks }: Users) => ({
  credentials: users.map(({ id }) => id),
  webhooks: webhooks.map(({ id }) => id),
});

/** Lists the credentials and webhooks that use a view. Only some roles see the names. */
function ViewUserList({ frame, users, webhooks }: Users & { frame: PageContext }) {
  const text = useText().itemList.views;
  const { role } = frame.member;
  const groups = [
    {
      all: users,
      path: "/admin/integrations",
      isVisible: roleAllows(role, "credentials"),
      counted: text.credentials,
    },
    {
      all: webhooks,
      path: "/admin/webhooks",
      isVisible: roleAllows(role, "webhooks"),
      counted: text.webhooks,
    },
  ].filter(({ all }) => all.length > 0);
  return (
    <ul>
      {groups.map(({ all, path, isVisible, counted }) => (
        <li>
          {counted(all.length)}
          {isVisible ? (
            <ul>
              {all.map(({ id, name }) => (
                <li>
                  <a href={`${path}/${id}`}>{name}</a>
                </li>
              ))}
            </ul>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

interface ViewChange extends Users {
  collection: Collection;
  before: View;
  view: View;
  /** The names in the conditions before and after the change. */
  names: OperandNames;
  /** The number of items that the view shows before and after the change. Null if it depends on the caller. */
  counts: Record<"before" | "after", MatchCount | null>;
  /** The search of the list that the view will save. */
  search: string | undefined;
  /** Whether the definition has changed since the member confirmed the change. */
  isOutdated: boolean;
}

/** Asks for confirmation before changing a view that credentials or webhooks use. */
export const confirmChange = (change: ViewChange): Outcome => ({
  page: (frame) => <ChangePage {...change} frame={frame} />,
  document: {
    ...userIds(change),
    matches: { before: change.counts.before?.count, after: change.counts.after?.count },
  },
});

function MatchingItems({ kind, matches }: { kind: CollectionKind; matches: MatchCount | null }) {
  const { itemCount } = useText().terms.collections[kind];
  return matches && <p class="muted">{itemCount(matches.count, matches.exact)}</p>;
}

function ChangePage({
  frame,
  collection,
  before,
  view,
  names,
  counts,
  search = "",
  isOutdated,
  ...users
}: ViewChange & { frame: PageContext }) {
  const { itemList, terms } = frame.text;
  const text = itemList.views;
  const base = itemsPath(collection);
  const { kind } = collection;
  const words = { kind, fields: collection.definition.fields.fields, names, isComplete: true };
  const isUsed = users.users.length + users.webhooks.length > 0;
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={text.changeTitle(view.name)}
      crumbs={viewCrumbs(frame, collection)}
    >
      <form method="post" action={`${base}/views/${view.key}`} class="inputs" data-warn="">
        <input type="hidden" name="search" value={search} />
        <input type="hidden" name="sure" value="yes" />
        <input type="hidden" name="version" value={String(collection.version)} />
        {isOutdated ? (
          <p class="notice warn" role="status">
            {text.changedSince}
          </p>
        ) : null}
        <dl class="list">
          <dt>{text.before}</dt>
          <dd>
            {describeView(before, frame.text, words)}
            <MatchingItems kind={collection.kind} matches={counts.before} />
          </dd>
          <dt>{text.after}</dt>
          <dd>
            {describeView(view, frame.text, words)}
            <MatchingItems kind={collection.kind} matches={counts.after} />
          </dd>
        </dl>
        {isUsed ? <p>{text.changeEffect}</p> : null}
        <ViewUserList frame={frame} {...users} />
        <p class="actions">
          <button type="submit">{terms.saveChanges}</button>
          <a class="button quiet" href={`${base}?${search}`}>
            {terms.cancel}
          </a>
        </p>
      </form>
    </AdminPage>
  );
}

interface ViewDeletion extends Users {
  collection: Collection;
  view: View;
  /** Whether the member keeps the view as a saved filter. */
  isKept: boolean;
}

/** Lists the credentials and webhooks that use a view, and offers to delete the view if there are none. */
export const confirmDeletion = (deletion: ViewDeletion): Outcome => ({
  page: (frame) => <DeletionPage {...deletion} frame={frame} />,
  document: userIds(deletion),
});

function DeletionPage({
  frame,
  collection,
  view,
  isKept,
  ...users
}: ViewDeletion & { frame: PageContext }) {
  const { itemList, terms } = frame.text;
  const { tools, views: text } = itemList;
  const base = itemsPath(collection);
  const isUsed = users.users.length + users.webhooks.length > 0;
  const inUse = isKept ? text.inUseShared : text.inUse;
  const warning = isKept
    ? tools.stopSharingWarning
    : tools.deleteViewWarning(terms.collections[collection.kind].items);
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={isKept ? tools.stopSharingTitle(view.name) : tools.deleteViewTitle(view.name)}
      crumbs={viewCrumbs(frame, collection)}
    >
      <p>{isUsed ? inUse : warning}</p>
      <ViewUserList frame={frame} {...users} />
      <form method="post" action={`${base}/views/${view.key}/delete`}>
        {isKept ? <input type="hidden" name="keep" value="yes" /> : null}
        <p class="actions">
          {isUsed ? null : (
            <button type="submit" class={isKept ? undefined : "danger"}>
              {isKept ? tools.stopSharing : tools.deleteView}
            </button>
          )}
          <a class="button quiet" href={`${base}?view=${view.key}`}>
            {terms.cancel}
          </a>
        </p>
      </form>
    </AdminPage>
  );
}
