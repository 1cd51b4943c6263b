import { type ItemView, buildItemView } from "#domain/item/item.ts";
import { Action } from "#html/action-button.tsx";
import { ShortId } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { useText } from "#admin/language/index.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { StatusBadge, itemTitle, ItemValues } from "./value.tsx";
import { ActorName, ActorNamesContext, actorNames } from "./actor-name.tsx";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { ItemHistory } from "#domain/item/change.ts";
import { collectionPath, dataAssets } from "#admin/definitions/layout.tsx";
import { getItemWithHistory } from "#actions/changes.ts";
import { deleteRestorably } from "#actions/remove-item.ts";
import { reopenSubmission, updateItem } from "#actions/update-item.ts";
import { historyDocument, itemDocument, relativeOrigin } from "#documents/items.ts";
import { readForm } from "#admin/form-input.ts";
import { page } from "#admin/page.ts";
import { changedValues, loadTitles, type Titles } from "#actions/reference-titles.ts";
import type { Referrer } from "#store/data/reference-titles.ts";
import { noReferences, ReferencesContext, ReferrerList } from "./references.tsx";
import { HistoryList } from "./history.tsx";
import { getItem, itemsPath, readIfMatch } from "./load-item.ts";
import { changedLabels, revertItem, undoOf, type ItemChange } from "./undo-change.ts";
import { readPlace, withPlace, type Place } from "./neighbors.ts";
import { pagePath, previousPage } from "./list/pages.ts";

function ItemActions({
  path,
  view,
  canErase,
  place,
}: {
  path: string;
  view: ItemView;
  canErase: boolean;
  place: Place | undefined;
}) {
  const values = { $version: String(view.version) };
  const { terms, ...texts } = useText();
  const text = texts.itemPage.actions;
  const { status } = view;
  const to = (step: string) => withPlace(`${path}${step}`, place);
  return (
    <>
      {status === "closed" ? (
        <Action action={to("/reopen")} name={text.reopen} quiet values={values} />
      ) : (
        <a
          class={status === "draft" ? "button quiet" : "button"}
          href={withPlace(path, place, "edit")}
        >
          {text.edit}
        </a>
      )}
      {status === "draft" ? (
        <Action action={to("")} name={text.submit} values={{ ...values, $status: "submitted" }} />
      ) : null}
      {status === "submitted" ? (
        <Action action={to("/close")} name={text.close} quiet values={values} />
      ) : null}
      {status !== "closed" ? (
        <Action
          action={to("/delete")}
          name={text.delete}
          title={text.deleteTitle(terms.collections[view.kind].item)}
          confirm={text.deleteConfirm}
          values={values}
        >
          {canErase ? (
            <p class="muted">{text.eraseInstead(<a href={`${path}/erase`}>{text.erase}</a>)}</p>
          ) : null}
        </Action>
      ) : null}
    </>
  );
}

function ItemSummary({ view, frame }: { view: ItemView; frame: PageContext }) {
  const text = useText().itemPage.summary;
  const isChanged = view.updatedAt !== view.createdAt;
  const changedBy = <ActorName actor={view.updatedBy} frame={frame} />;
  return (
    <dl class="about">
      <dt>{text.id}</dt>
      <dd>
        <ShortId of={view.id} />
      </dd>
      <dt>{text.created}</dt>
      <dd>
        <Time at={view.createdAt} />
        <small>{text.by(<ActorName actor={view.createdBy} frame={frame} />)}</small>
      </dd>
      {isChanged ? (
        <>
          <dt>{text.changed}</dt>
          <dd>
            <Time at={view.updatedAt} />
            <small>{text.changedBy(changedBy, view.version)}</small>
          </dd>
        </>
      ) : null}
    </dl>
  );
}

/** Links to the neighbours of the item in the list that the member came from. */
function NeighborLinks({ path, place }: { path: string; place: Place | undefined }) {
  const text = useText().itemPage.actions;
  if (!place) return null;
  const step = (direction: string) => withPlace(path, place, `step=${direction}`);
  const isFirst = place.at === 0 && !previousPage(place.query);
  return (
    <nav class="actions neighbors" aria-label={text.neighbors}>
      {isFirst ? (
        <a class="button quiet" role="link" aria-disabled="true">
          {text.previous}
        </a>
      ) : (
        <a class="button quiet" href={step("previous")} rel="prev">
          {text.previous}
        </a>
      )}
      <a class="button quiet" href={step("next")} rel="next">
        {text.next}
      </a>
    </nav>
  );
}

interface ItemPageProps {
  frame: PageContext;
  /** The place of the item in the list that the member came from. */
  place: Place | undefined;
  collection: Collection;
  view: ItemView;
  history: ItemHistory;
  titles: Titles;
  referrers: readonly Referrer[];
  problem?: Problem | undefined;
}

/** Shows one item with its values, its actions and its history. */
function ItemPage(props: ItemPageProps) {
  const { frame, collection, view, history, titles, referrers, place, problem: error } = props;
  const { kind, key, definition } = collection;
  const path = collectionPath[kind];
  const { itemPage: text, terms } = frame.text;
  const { many, item } = terms.collections[kind];
  const base = `${path}/${key}/items`;
  const itemPath = `${base}/${view.id}`;
  const { fields } = definition.fields;
  const canWrite = roleAllows(frame.member.role, "write");
  const canErase = roleAllows(frame.member.role, "erase");
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={itemTitle(view, fields, frame.text)}
      crumbs={[
        [many, path],
        [definition.name, place ? pagePath(base, place.query) : base],
      ]}
      badges={<StatusBadge status={view.status} />}
      actions={
        <>
          <NeighborLinks path={itemPath} place={place} />
          {canWrite ? <ItemActions path={itemPath} {...{ view, canErase, place }} /> : null}
        </>
      }
      problem={error}
    >
      {view.status === "closed" ? (
        <p class="notice quiet">{canWrite ? text.closed : text.closedForViewers}</p>
      ) : null}
      <ReferencesContext.Provider value={{ ...noReferences, titles }}>
        <div class="beside">
          <section class="card" aria-label={text.data}>
            {fields.length === 0 ? (
              <p class="muted">
                {text.noFields} <a href={`${path}/${key}`}>{text.addFields}</a>
              </p>
            ) : (
              <ItemValues fields={fields} data={view.data} />
            )}
          </section>
          <aside aria-label={text.about(item)}>
            <ActorNamesContext.Provider value={actorNames(history)}>
              <ItemSummary view={view} frame={frame} />
              <HistoryList
                {...{ frame, view, fields, history }}
                revertPath={withPlace(`${itemPath}/revert`, place)}
              />
            </ActorNamesContext.Provider>
            <ReferrerList id={view.id} referrers={referrers} />
          </aside>
        </div>
      </ReferencesContext.Provider>
      {canErase && view.status === "closed" ? (
        <p class="actions page-end">
          <a class="button danger" href={`${itemPath}/erase`}>
            {text.actions.erase}
          </a>
        </p>
      ) : null}
    </AdminPage>
  );
}

/** The page of an item with its history, and the actions on it. */
export function itemPage(kind: CollectionKind) {
  const { show, form } = page({
    async load({ c, ctx, param }) {
      const name = { kind, key: param("key"), id: param("id") };
      const { loaded, history, titles: known, referrers } = await getItemWithHistory(ctx, name);
      const { item, compiled: access } = loaded;
      const { collection } = access;
      const view = buildItemView(item, access);
      // Only former values can refer to records that the same read did not return.
      const former = history.entries.flatMap(({ fields }) => changedValues(fields ?? []));
      const titles = await loadTitles(ctx, collection, former, known);
      return { collection, view, history, titles, referrers, place: readPlace(c) };
    },
    document: ({ view, history }) => ({
      ...itemDocument(view, relativeOrigin),
      history: historyDocument(history),
    }),
    render: (frame, data, attempt) => (
      <ItemPage frame={frame} {...data} problem={attempt?.problem} />
    ),
  });
  const change = (outcome: "closed" | "reopened" | "reverted", act: ItemChange) =>
    form({
      async act({ c, ctx, text }) {
        const target = await getItem(c, kind);
        const sent = await readForm(c);
        const view = await act(ctx, target, readIfMatch(sent), { sent, text });
        const { fields } = target.compiled.collection.definition.fields;
        const title = itemTitle(view, fields, text);
        const itemPath = `${itemsPath(c, kind)}/${view.id}`;
        const undo = undoOf(outcome, itemPath, view, readPlace(c));
        const changed = changedLabels(target, view);
        return {
          to: withPlace(itemPath, readPlace(c)),
          flash: {
            text: text.itemPage.outcomes[outcome](title, text.terms.list(changed)),
            isPartial: false,
            undo,
          },
          document: itemDocument(view, relativeOrigin),
        };
      },
    });
  const remove = form({
    async act({ c, ctx, text }) {
      const target = await getItem(c, kind);
      await deleteRestorably(ctx, target, readIfMatch(await readForm(c)));
      const { item, compiled } = target;
      const { fields } = compiled.collection.definition.fields;
      const title = itemTitle(buildItemView(item, compiled), fields, text);
      const [base, place] = [itemsPath(c, kind), readPlace(c)];
      const to = place ? pagePath(base, place.query) : base;
      const undo = { action: `${base}/deleted/${item.id}/restore`, values: {} };
      const deleted = text.itemPage.outcomes.deleted(title);
      return { to, flash: { text: deleted, isPartial: false, undo }, document: null };
    },
  });
  return {
    show,
    close: change("closed", (ctx, target, ifMatch) =>
      updateItem(ctx, target, { status: "closed" }, ifMatch),
    ),
    reopen: change("reopened", reopenSubmission),
    revert: change("reverted", revertItem),
    remove,
  };
}
