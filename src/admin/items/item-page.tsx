import { type ItemView, viewOf } from "#domain/item/item.ts";
import { Act } from "#html/action-button.tsx";
import { Id } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { type Frame, AdminPage, frameOf } from "#admin/layout.tsx";
import { By, StatusBadge, NamesContext, titleOf, Values, namesIn } from "./value.tsx";
import type { Child } from "hono/jsx";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { may } from "#domain/credential/permissions.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { words, dataAssets } from "#admin/definitions/layout.tsx";
import type { Context } from "hono";
import type { AdminEnv } from "#http/env.ts";
import { itemWithHistory } from "#actions/changes.ts";
import { HistoryList } from "./history.tsx";
import { addressOf, keyOf } from "./load-item.ts";

export function Acts({ at, view }: { at: string; view: ItemView }) {
  const values = { $version: String(view.version) };
  const { status } = view;
  return (
    <>
      {status === "closed" ? (
        <Act action={`${at}/reopen`} name="Reopen" quiet values={values} />
      ) : (
        <a class="button" href={`${at}?edit`}>
          Edit
        </a>
      )}
      {status === "submitted" ? (
        <Act action={`${at}/close`} name="Close" quiet values={values} />
      ) : null}
      {status === "draft" || status === "submitted" ? (
        <Act
          action={`${at}/delete`}
          name="Delete"
          title="Delete this submission?"
          confirm="All that it says is lost for good; nothing brings it back."
          values={values}
        />
      ) : null}
    </>
  );
}

export function About({ view, frame }: { view: ItemView; frame: Frame }) {
  const changed = view.version > 1;
  return (
    <dl class="about">
      <dt>Id</dt>
      <dd>
        <Id of={view.id} />
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={view.createdAt} />
        <small>
          by <By actor={view.createdBy} frame={frame} />
        </small>
      </dd>
      <dt>Changed</dt>
      <dd>
        {changed ? <Time at={view.updatedAt} /> : "never"}
        {changed ? (
          <small>
            by <By actor={view.updatedBy} frame={frame} />, version {view.version}
          </small>
        ) : null}
      </dd>
    </dl>
  );
}

interface Shown {
  frame: Frame;
  collection: Collection;
  view: ItemView;
  problem?: Problem | undefined;
  /** Who changed what, where it is known, and what they are called. */
  history?: Child;
  names?: ReadonlyMap<string, string>;
}

const nobody = new Map<string, string>();

/** One item: what it says, and what can be done with it. */
export function ItemPage({ frame, collection, view, problem, history, names }: Shown) {
  const { kind, key, definition } = collection;
  const { path, many, items } = words[kind];
  const base = `${path}/${key}/items`;
  const { fields } = definition.fields;
  const writes = may(frame.member.role, "write");
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={titleOf(view, fields)}
      crumbs={[
        [many, path],
        [definition.name, base],
      ]}
      badges={<StatusBadge status={view.status} />}
      acts={writes ? <Acts at={`${base}/${view.id}`} view={view} /> : null}
      problem={problem}
    >
      {view.status === "closed" ? (
        <p class="notice quiet">
          Closed: it is kept as it is.{" "}
          {writes ? "Reopen it to change it." : "Owners, admins and editors can reopen it."}
        </p>
      ) : null}
      <div class="beside">
        <section class="card" aria-label="Data">
          {fields.length === 0 ? (
            <p class="muted">
              This has no fields yet. <a href={`${path}/${key}`}>Add fields</a>
            </p>
          ) : (
            <Values fields={fields} data={view.data} />
          )}
        </section>
        <aside aria-label={`About this ${items.slice(0, -1)}`}>
          <NamesContext.Provider value={names ?? nobody}>
            <About view={view} frame={frame} />
            {history}
          </NamesContext.Provider>
        </aside>
      </div>
    </AdminPage>
  );
}

/** The item as it is now, and how it came to be so. */
export async function drawItem(c: Context<AdminEnv>, kind: CollectionKind, refusal?: Problem) {
  const name = { kind, key: keyOf(c), id: c.req.param("id") ?? "" };
  const { found, history } = await itemWithHistory(c.var.action, name);
  const { collection } = found.compiled;
  const view = viewOf(found.item, found.compiled);
  const frame = frameOf(c);
  const { fields } = collection.definition.fields;
  const at = `${addressOf(c, kind)}/${view.id}`;
  const list = <HistoryList {...{ frame, at, view, fields, history }} />;
  const shown = { frame, collection, view, history: list, names: namesIn(history) };
  return { view, history, page: () => <ItemPage {...shown} problem={refusal} /> };
}
