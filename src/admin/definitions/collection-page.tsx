import type { Context } from "hono";
import type { CollectionKind } from "../../domain/definition/collection";
import { may } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import type { Sent } from "../frame/sent";
import { Act } from "../../html/act";
import { Table } from "../../html/parts";
import { AdminPage } from "../frame/layout";
import { type Document, type FieldDocument } from "./context";
import { words } from "./words";
import { AddField, FieldRow } from "./field-table";
import { Settings } from "./settings";

interface Shown {
  c: Context<AdminEnv>;
  kind: CollectionKind;
  document: Document;
  live: number;
  sent?: Sent;
  problem?: Problem;
}

interface Acceptance {
  state: string;
  accepting: boolean;
  opens_at: string | null;
  closes_at: string | null;
  max_submissions: number | null;
}

/** An app or form: what it holds, its fields, and its settings. */
export function CollectionPage({ c, kind, document, live, sent, problem }: Shown) {
  const { path, items, item } = words[kind];
  const base = `${path}/${document.key}`;
  const { role } = c.var.member;
  const define = may(role, "define");
  const indexing = document["indexing"] as { done: number; total: number } | undefined;
  const acceptance = document["acceptance"] as Acceptance | undefined;
  return (
    <AdminPage c={c} title={document.name} problem={problem}>
      {document["description"] ? <p>{document["description"]}</p> : null}
      <p>
        <code>{document.key}</code>, version {document.schema_version}, {live} {items}
        {acceptance ? `, ${acceptance.accepting ? "open" : "not accepting"}` : ""}
      </p>
      {indexing ? <Indexing {...indexing} /> : null}
      <p class="actions">
        <a class="button" href={`${base}/items`}>
          Browse {items}
        </a>
        {may(role, "write") ? (
          <a class="button quiet" href={`${base}/items/new`}>
            New {item}
          </a>
        ) : null}
        <a class="button quiet" href={`/docs?${kind}=${document.key}`}>
          API reference
        </a>
        <a class="button quiet" href={`${base}/openapi.json`}>
          OpenAPI document
        </a>
        <a class="button quiet" href={`${base}/json`}>
          Definition as JSON
        </a>
      </p>
      <h2 id="fields">Fields</h2>
      {document.fields.length === 0 ? (
        <p class="card">There is no field yet. Add the first one below.</p>
      ) : (
        <Table
          caption="Fields"
          heads={["Key", "Label", "Type", "Rules", ...(define ? ["Change"] : [])]}
        >
          {document.fields.flatMap((field) => [
            <FieldRow {...{ base, field, define, version: document.schema_version }} />,
            ...((field["fields"] ?? []) as FieldDocument[]).map((row) => (
              <FieldRow
                {...{
                  base,
                  field: row,
                  within: field.key,
                  define,
                  version: document.schema_version,
                }}
              />
            )),
          ])}
        </Table>
      )}
      {define ? <AddField base={base} document={document} /> : null}
      {define ? (
        <Settings
          {...{
            kind,
            base,
            version: document.schema_version,
            sent: sent ?? { ...document, ...acceptance },
          }}
        />
      ) : null}
      {may(role, "owners") ? (
        <Act action={`${base}/check-index`} name="Check the search index" quiet />
      ) : null}
    </AdminPage>
  );
}

export function Indexing({ done, total }: { done: number; total: number }) {
  return (
    <div class="card" role="status">
      <label>
        Search entries and formulas are brought up to date: {done} of {total}
        <progress value={done} max={total} data-refresh="" />
      </label>
    </div>
  );
}
