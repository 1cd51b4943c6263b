import { Copyable } from "#html/parts.tsx";
import type { CollectionNow } from "#store/data/collections.ts";
import { type Frame, frameOf } from "#admin/layout.tsx";
import { CollectionHead, words, documentOf } from "./layout.tsx";
import { may } from "#domain/credential/permissions.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { TextArea } from "#html/inputs.tsx";
import { isObject } from "#domain/json.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { Context } from "hono";
import { putDefinition, readDefinition } from "#actions/definitions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { etagOf } from "#domain/preconditions.ts";
import type { AdminEnv } from "#http/env.ts";
import { answer, answerDone, attempted, toldAt } from "#admin/page.ts";
import { readSent, numberOf, textOf } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";

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

export function sentDefinition(text: string): Record<string, unknown> {
  const document = parsedJson(text);
  if (isObject(document)) return document;
  throw problem.invalidInput([errorAt(["document"], "invalid_type", "Must be of type object.")]);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1];
    throw problem.malformedJson(
      `This is not JSON.${at ? ` It goes wrong at character ${at}.` : ""}`,
    );
  }
}

type C = Context<AdminEnv>;

export async function showJson(c: C, kind: CollectionKind): Promise<Response> {
  const now = await readDefinition(c.var.action, kind, c.req.param("key") ?? "");
  const document = documentOf(now);
  const text = JSON.stringify(document, null, 2);
  return answer(c, document, () => <JsonPage {...{ frame: frameOf(c), now, text }} />);
}

/** The whole definition, pasted; scripts send it as the body itself. */
export async function saveJson(c: C, kind: CollectionKind): Promise<Response> {
  const key = c.req.param("key") ?? "";
  const sent = await readSent(c);
  return attempted(
    c,
    async () => {
      const document =
        typeof sent["document"] === "string" ? sentDefinition(sent["document"]) : sent;
      const version = numberOf(sent["version"] ?? document["schema_version"]);
      const body = { ...document, key };
      const conditions = { ifMatch: [etagOf(version)], ifNoneMatch: null };
      const saved = await putDefinition(c.var.action, kind, key, body, conditions).catch(
        (error: unknown) => {
          throw isLate(error) ? late() : error;
        },
      );
      say(c, `${saved.collection.definition.name} is saved.`);
      return answerDone(c, documentOf(saved), `${words[kind].path}/${key}`);
    },
    async (refusal) => {
      const now = await readDefinition(c.var.action, kind, key);
      const shown = { frame: frameOf(c), now, text: textOf(sent["document"]) };
      // Being late is nothing that is wrong with what was written.
      const told = refusal.code === "conflict" ? refusal : toldAt(refusal, "document");
      return <JsonPage {...shown} problem={told} />;
    },
  );
}

const isLate = (error: unknown) => error instanceof Problem && error.code === "version_mismatch";

const late = () =>
  problem.conflict(
    "Somebody else changed this in the meantime. Nothing was saved, and what you wrote is still here: look at what they did, then save again.",
  );
