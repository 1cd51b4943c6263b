import type { Context } from "hono";
import type { CollectionKind } from "../../domain/definition/collection";
import { may } from "../../domain/permissions";
import type { Problem } from "../../domain/problem";
import type { AdminEnv } from "../../env";
import type { Sent } from "../credential-fields";
import { Act, AdminPage, Table } from "../layout";
import { type Document, type FieldDocument } from "./context";
import { words } from "./words";
import { types } from "./field-input";

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

const shownRules = [
  "required",
  "unique",
  "integer",
  "minimum",
  "maximum",
  "decimals",
  "min_length",
  "pattern",
  "min_rows",
  "max_rows",
  "formula",
  "default",
];

function rulesOf(field: FieldDocument): string {
  const rules = shownRules
    .filter((name) => field[name] !== undefined && field[name] !== false)
    .map((name) =>
      field[name] === true ? name : `${name.replaceAll("_", " ")} ${String(field[name])}`,
    );
  return [...rules, ...(field["searchable"] === false ? ["not searchable"] : [])].join(", ");
}

interface Row {
  base: string;
  field: FieldDocument;
  within?: string;
  define: boolean;
  version: number;
}

function FieldRow({ base, field, within, define, version }: Row) {
  const name = within === undefined ? field.key : `${within}.${field.key}`;
  const at = `${base}/fields/${name}`;
  const values = { version: String(version) };
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>{String(field["label"] ?? "")}</td>
      <td>{field.type}</td>
      <td>{rulesOf(field)}</td>
      {define ? (
        <td>
          <div class="actions">
            <a class="button quiet" href={at} aria-label={`Edit ${name}`}>
              Edit
            </a>
            <Act
              action={`${at}/move`}
              name={<span aria-label={`Move ${name} up`}>↑</span>}
              quiet
              values={{ ...values, direction: "up" }}
            />
            <Act
              action={`${at}/move`}
              name={<span aria-label={`Move ${name} down`}>↓</span>}
              quiet
              values={{ ...values, direction: "down" }}
            />
            <Act
              action={`${at}/remove`}
              name={<span aria-label={`Remove ${name}`}>Remove</span>}
              confirm={`Remove ${name}? Its data stays stored, hidden, and comes back with the field.`}
              values={values}
            />
          </div>
        </td>
      ) : null}
    </tr>
  );
}

function AddField({ base, document }: { base: string; document: Document }) {
  const lists = document.fields.filter(({ type }) => type === "line_items");
  return (
    <form method="get" action={`${base}/fields/new`} class="actions">
      <label>
        Add a field
        <select name="type">
          {types.map(([type, meaning]) => (
            <option value={type}>
              {type}: {meaning}
            </option>
          ))}
        </select>
      </label>
      {lists.length > 0 ? (
        <label>
          to
          <select name="within">
            <option value="">the {document.key} itself</option>
            {lists.map(({ key }) => (
              <option value={key}>the rows of {key}</option>
            ))}
          </select>
        </label>
      ) : null}
      <button type="submit">Add</button>
    </form>
  );
}

function Settings({
  kind,
  base,
  version,
  sent,
}: {
  kind: CollectionKind;
  base: string;
  version: number;
  sent: Sent;
}) {
  const text = (name: string) =>
    sent[name] === null || sent[name] === undefined ? "" : String(sent[name]);
  const moment = (name: string) => text(name).slice(0, 16);
  return (
    <form method="post" action={base}>
      <h2>Settings</h2>
      <input type="hidden" name="version" value={String(version)} />
      <div class="grid">
        <label>
          Name
          <input name="name" value={text("name")} required maxlength={200} />
        </label>
        <label>
          Time zone
          <input name="time_zone" value={text("time_zone")} required />
        </label>
        {kind === "app" ? (
          <label>
            Prefix of receipt numbers
            <input name="receipt_prefix" value={text("receipt_prefix")} maxlength={20} />
          </label>
        ) : null}
      </div>
      <label>
        Description
        <textarea name="description">{text("description")}</textarea>
      </label>
      {kind === "form" ? (
        <div class="grid">
          <label>
            Accepts submissions
            <select name="state">
              <option value="open" selected={text("state") === "open"}>
                yes
              </option>
              <option value="closed" selected={text("state") === "closed"}>
                no
              </option>
            </select>
          </label>
          <label>
            from (UTC)
            <input type="datetime-local" name="opens_at" value={moment("opens_at")} />
          </label>
          <label>
            until (UTC)
            <input type="datetime-local" name="closes_at" value={moment("closes_at")} />
          </label>
          <label>
            at most
            <input type="number" name="max_submissions" min={1} value={text("max_submissions")} />
          </label>
        </div>
      ) : null}
      <button type="submit">Save the settings</button>
    </form>
  );
}
