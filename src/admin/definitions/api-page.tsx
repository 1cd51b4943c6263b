import { may } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import { TextArea } from "../../html/field";
import { Copyable } from "../../html/parts";
import type { CollectionNow } from "../../store/definitions/collections";
import type { Frame } from "../frame/frame";
import { CollectionHead } from "./head";
import { words } from "./words";

/** How programs reach an app or form. */
export function ApiPage({ frame, now, host }: { frame: Frame; now: CollectionNow; host: string }) {
  const { collection, live } = now;
  const { kind, key } = collection;
  const { items, path } = words[kind];
  const route = `${host}/api/v1/${kind}s/${key}`;
  const read = `curl -s '${route}/${items}' -H "Authorization: Bearer $TOKEN"`;
  return (
    <CollectionHead {...{ frame, collection, live }} tab="api">
      <p class="lead">
        Programs read and write the {items} over HTTP, with a credential that is allowed to.
      </p>
      <p class="actions">
        <a class="button" href={`/docs?${kind}=${key}`}>
          API reference
        </a>
        <a class="button quiet" href={`${path}/${key}/openapi.json`}>
          OpenAPI document
        </a>
        <a class="button quiet" href={`${path}/${key}/json`}>
          Definition as code
        </a>
        <a class="button quiet" href="/admin/integrations">
          Credentials
        </a>
      </p>
      <h2>Address</h2>
      <Copyable id="address" text={`${route}/${items}`} />
      <h2>Read the first ones</h2>
      <Copyable id="read" text={read} />
      <h2>For assistants</h2>
      <p class="lead">
        The same as tools of the Model Context Protocol.{" "}
        <a href="/docs/mcp">How assistants connect</a>
      </p>
      <Copyable id="assistants" text={`${host}/mcp?${kind}s=${key}`} />
    </CollectionHead>
  );
}

interface Json {
  frame: Frame;
  now: CollectionNow;
  text: string;
  problem?: Problem | undefined;
}

const labels = { document: "Definition" };

/** The definition as code. */
export function JsonPage({ frame, now, text, problem }: Json) {
  const { collection, live } = now;
  const { kind, key, version } = collection;
  const base = `${words[kind].path}/${key}`;
  const define = may(frame.member.role, "define");
  return (
    <CollectionHead {...{ frame, collection, live, problem }} labels={labels} tab="api">
      <h2>Definition as code</h2>
      <p class="lead">
        The same document that{" "}
        <code>
          PUT /api/v1/{kind}s/{key}/schema
        </code>{" "}
        takes. To rename a field, say <code>"renamed_from"</code> with its key of now; a field that
        is left out is hidden with its data.
      </p>
      <form method="post" action={`${base}/json`}>
        <input type="hidden" name="version" value={String(version)} />
        <TextArea
          name="document"
          label="Definition"
          class="code"
          spellcheck={false}
          readonly={!define}
          value={text}
          wide
        />
        <p class="actions">
          {define ? <button type="submit">Save changes</button> : null}
          <a class="button quiet" href={`${base}/api`}>
            Back
          </a>
        </p>
      </form>
    </CollectionHead>
  );
}
