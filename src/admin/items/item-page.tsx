import type { Context } from "hono";
import type { ItemView } from "../../domain/item/item-view";
import type { Compiled } from "../../domain/data/compile";
import { may } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { words } from "../definitions/words";
import type { Sent } from "../frame/sent";
import { Act } from "../../html/act";
import { Table } from "../../html/parts";
import { Time } from "../../html/reader";
import { AdminPage } from "../frame/layout";
import { Inputs } from "./inputs";
import { shown } from "./items-page";

interface Shown {
  c: Context<AdminEnv>;
  compiled: Compiled;
  /** Absent for one that is being written. */
  view?: ItemView;
  sent?: Sent;
  problem?: Problem;
}

/** One item: what it says, and what can be done with it. */
export function ItemPage({ c, compiled, view, sent, problem }: Shown) {
  const { kind, key, definition } = compiled.collection;
  const { path, items, item } = words[kind];
  const base = `${path}/${key}/items`;
  const title = view ? (view.receiptNumber ?? `Submission …${view.id.slice(-8)}`) : `New ${item}`;
  const writes = may(c.var.member.role, "write");
  const open = view?.status !== "closed";
  return (
    <AdminPage c={c} title={title} problem={problem}>
      <p>
        <a href={base}>
          {definition.name}: {items}
        </a>
      </p>
      {view ? <Facts view={view} /> : null}
      {view && writes ? <Acts at={`${base}/${view.id}`} view={view} /> : null}
      {view && kind === "form" && !open ? (
        <p role="status">It is closed: reopen it to change it.</p>
      ) : null}
      {view ? <Values compiled={compiled} view={view} /> : null}
      {writes && open ? (
        <form method="post" action={view ? `${base}/${view.id}` : base}>
          <h2>{view ? "Change it" : "What it says"}</h2>
          {view ? <input type="hidden" name="version" value={String(view.version)} /> : null}
          <Inputs fields={definition.fields.fields} data={view?.data ?? {}} sent={sent} />
          <p class="actions">
            {kind === "form" && view?.status !== "submitted" ? (
              <>
                <button type="submit" name="status" value="submitted">
                  Submit
                </button>
                <button type="submit" name="status" value="draft" class="quiet" formnovalidate>
                  Keep as a draft
                </button>
              </>
            ) : (
              <button type="submit">Save</button>
            )}
          </p>
        </form>
      ) : null}
    </AdminPage>
  );
}

function Facts({ view }: { view: ItemView }) {
  return (
    <dl class="facts">
      <dt>Id</dt>
      <dd>
        <code>{view.id}</code>
      </dd>
      {view.status ? (
        <>
          <dt>Status</dt>
          <dd>{view.status}</dd>
        </>
      ) : null}
      <dt>Version</dt>
      <dd>{view.version}</dd>
      <dt>Created</dt>
      <dd>
        <Time at={view.createdAt} />
      </dd>
      <dt>Changed</dt>
      <dd>
        <Time at={view.updatedAt} />
      </dd>
    </dl>
  );
}

function Acts({ at, view }: { at: string; view: ItemView }) {
  const values = { version: String(view.version) };
  if (view.kind === "app") return null;
  return (
    <div class="actions">
      {view.status === "closed" ? (
        <Act action={`${at}/reopen`} name="Reopen" quiet values={values} />
      ) : null}
      {view.status === "submitted" ? (
        <Act action={`${at}/close`} name="Close" quiet values={values} />
      ) : null}
      {view.status === "closed" ? null : (
        <Act
          action={`${at}/delete`}
          name="Delete"
          confirm="Delete it for good? There is no way back."
          values={values}
        />
      )}
    </div>
  );
}

function Values({ compiled, view }: { compiled: Compiled; view: ItemView }) {
  return (
    <>
      <h2>Data</h2>
      <dl class="facts">
        {compiled.collection.definition.fields.fields.map((field) =>
          field.type === "line_items" ? null : (
            <>
              <dt>{field.label}</dt>
              <dd>{long(view.data[field.key])}</dd>
            </>
          ),
        )}
      </dl>
      {compiled.collection.definition.fields.fields.map((field) => {
        const rows = view.data[field.key];
        if (field.type !== "line_items" || !Array.isArray(rows) || rows.length === 0) return null;
        return (
          <>
            <h3>{field.label}</h3>
            <Table caption={field.label} heads={field.fields.map(({ label }) => label)}>
              {(rows as Record<string, unknown>[]).map((row) => (
                <tr>
                  {field.fields.map(({ key }) => (
                    <td class={typeof row[key] === "number" ? "number" : undefined}>
                      {shown(row[key])}
                    </td>
                  ))}
                </tr>
              ))}
            </Table>
          </>
        );
      })}
    </>
  );
}

const long = (value: unknown) => (typeof value === "string" ? value : shown(value));
