import type { Child } from "hono/jsx";
import type { Collection } from "../../../domain/definition/collection";
import type { ItemView } from "../../../domain/item/item-view";
import { may } from "../../../domain/credential/roles";
import type { Problem } from "../../../domain/problem/problem";
import { words } from "../../definitions/words";
import type { Frame } from "../../frame/frame";
import { AdminPage } from "../../frame/layout";
import { dataAssets } from "../../definitions/assets";
import { StatusBadge } from "../status";
import { NamesContext } from "./by";
import { titleOf } from "./title";
import { Values } from "./values";
import { Acts } from "./acts";
import { About } from "./about";

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
