import type { Context } from "hono";
import type { CollectionKind } from "../../domain/definition/collection";
import { may } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { textOf, type Sent } from "../frame/sent";
import { AdminPage } from "../frame/layout";
import { type Document } from "./context";
import { words } from "./words";

interface Listed {
  c: Context<AdminEnv>;
  kind: CollectionKind;
  found: { key: string; name: string; description: string; version: number }[];
  sent?: Sent;
  problem?: Problem;
}

export function ListPage({ c, kind, found, sent, problem }: Listed) {
  const { many, one, path, items } = words[kind];
  return (
    <AdminPage c={c} title={many} problem={problem}>
      {found.length === 0 ? (
        <p class="card">There is none yet.</p>
      ) : (
        <ul class="cards">
          {found.map(({ key, name, description }) => (
            <li class="card">
              <h2>
                <a href={`${path}/${key}`}>{name}</a>
              </h2>
              <p class="muted">{description || key}</p>
              <p>
                <a href={`${path}/${key}/items`} aria-label={`Browse ${items} of ${name}`}>
                  Browse {items}
                </a>
              </p>
            </li>
          ))}
        </ul>
      )}
      {may(c.var.member.role, "define") ? (
        <form method="post" action={path} class="narrow">
          <h2>Make {one === "App" ? "an app" : "a form"}</h2>
          <label>
            Key
            <small>What programs call it; it never changes.</small>
            <input
              name="key"
              required
              pattern="[a-z][a-z0-9_\-]{0,62}"
              value={textOf(sent?.["key"])}
            />
          </label>
          <label>
            Name
            <input name="name" required maxlength={200} value={textOf(sent?.["name"])} />
          </label>
          <button type="submit">Make it</button>
        </form>
      ) : null}
    </AdminPage>
  );
}

interface Json {
  c: Context<AdminEnv>;
  kind: CollectionKind;
  document: Document;
  text?: string;
  problem?: Problem;
}

/** The definition as code. */
export function JsonPage({ c, kind, document, text, problem }: Json) {
  const base = `${words[kind].path}/${document.key}`;
  const define = may(c.var.member.role, "define");
  return (
    <AdminPage c={c} title={`Definition of ${document.name}`} problem={problem}>
      <p>
        The same document that{" "}
        <code>
          PUT /api/v1/{kind}s/{document.key}/schema
        </code>{" "}
        takes. To rename a field, say <code>"renamed_from"</code> with its key of now; a field that
        is left out is hidden with its data.
      </p>
      <form method="post" action={`${base}/json`}>
        <input type="hidden" name="version" value={String(document.schema_version)} />
        <label>
          Definition
          <textarea
            name="document"
            class="code"
            id="definition"
            spellcheck={false}
            readonly={!define}
          >
            {text ?? JSON.stringify(document, null, 2)}
          </textarea>
        </label>
        <p class="actions">
          {define ? <button type="submit">Save</button> : null}
          <a class="button quiet" href={base}>
            Back
          </a>
        </p>
      </form>
    </AdminPage>
  );
}
