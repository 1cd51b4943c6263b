import { apiRoot, collectionPaths, fillPath } from "#domain/api-paths.ts";
import { Copyable } from "#html/parts.tsx";
import { CollectionLayout, collectionTerms, definitionDocument } from "./layout.tsx";
import { roleAllows } from "#domain/credential/permissions.ts";
import { problem } from "#domain/problem/problem.ts";
import { TextArea } from "#html/inputs.tsx";
import { isObject } from "#domain/json.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { getDefinition } from "#actions/definitions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { serviceOrigin } from "#http/request.ts";
import { saveAtVersion } from "./settings.tsx";
import { page, withFieldError } from "#admin/page.ts";
import { readForm, numberOf, textOf } from "#admin/form-input.ts";

const labels = { document: "Definition" };

function parseDefinition(text: string): Record<string, unknown> {
  const document = parseJson(text);
  if (isObject(document)) return document;
  throw problem.invalidInput([errorAt(["document"], "invalid_type", "Must be an object.")]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    throw problem.malformedJson(
      `This is not valid JSON.${position ? ` Syntax error at position ${position}.` : ""}`,
    );
  }
}

/** Shows how programs can use an app or form. */
export const apiPage = (kind: CollectionKind) =>
  page({
    async load({ c, ctx, param }) {
      const current = await getDefinition(ctx, kind, param("key"));
      return { current, host: serviceOrigin(c) };
    },
    document: ({ current }, { c }) => definitionDocument(c, current),
    render(frame, { current, host }) {
      const { collection, itemCount: live } = current;
      const { key } = collection;
      const { items, path } = collectionTerms[kind];
      const address = host + apiRoot + fillPath(collectionPaths(kind).items, { key });
      const read = `curl -s '${address}' -H "Authorization: Bearer $TOKEN"`;
      return (
        <CollectionLayout {...{ frame, collection, live }} tab="api">
          <p class="lead">Read and write {items} over HTTP with a credential that has access.</p>
          <p class="actions">
            <a class="button" href={`/docs?${kind}=${key}`}>
              API reference
            </a>
            <a class="button quiet" href={`${path}/${key}/openapi.json`}>
              OpenAPI document
            </a>
            <a class="button quiet" href={`${path}/${key}/json`}>
              {" "}
              Edit as JSON{" "}
            </a>
            <a class="button quiet" href="/admin/integrations">
              Credentials
            </a>
          </p>
          <h2>API URL</h2>
          <Copyable id="address" text={address} />
          <h2>Example request</h2>
          <Copyable id="read" text={read} />
          <h2>Assistants</h2>
          <p class="lead">
            Connect assistants to the Model Context Protocol at this URL.{" "}
            <a href="/docs/mcp">Learn how to connect</a>
          </p>
          <Copyable id="assistants" text={`${host}/mcp?${kind}s=${key}`} />
        </CollectionLayout>
      );
    },
  });

/** The page with the definition as JSON, and its form. Scripts send the definition as the request body. */
export function jsonPage(kind: CollectionKind) {
  const { show, form } = page({
    async load({ c, ctx, param }) {
      const current = await getDefinition(ctx, kind, param("key"));
      return { current, document: definitionDocument(c, current) };
    },
    document: ({ document }) => document,
    render(frame, { current, document }, attempt) {
      const text = attempt ? textOf(attempt.values["document"]) : JSON.stringify(document, null, 2);
      const { collection, itemCount: live } = current;
      const { key, version } = collection;
      const base = `${collectionTerms[kind].path}/${key}`;
      const canDefine = roleAllows(frame.member.role, "define");
      return (
        <CollectionLayout
          {...{ frame, collection, live, problem: attempt?.problem }}
          labels={labels}
          tab="api"
        >
          <h2>Definition as JSON</h2>
          <p class="lead">
            The document of{" "}
            <code>PUT {apiRoot + fillPath(collectionPaths(kind).schema, { key })}</code>. To rename
            a field, set <code>"renamed_from"</code> to its current key. Fields that you remove are
            hidden with their data.
          </p>
          <form method="post" action={`${base}/json`}>
            <input type="hidden" name="version" value={String(version)} />
            <TextArea
              name="document"
              label="Definition"
              class="code"
              spellcheck={false}
              readonly={!canDefine}
              value={text}
              wide
            />
            <p class="actions">
              {canDefine ? <button type="submit">Save changes</button> : null}
              <a class="button quiet" href={`${base}/api`}>
                Back
              </a>
            </p>
          </form>
        </CollectionLayout>
      );
    },
  });
  const save = form({
    async act({ c, ctx, param }) {
      const { version: sentVersion, ...sent } = await readForm(c);
      const document =
        typeof sent["document"] === "string" ? parseDefinition(sent["document"]) : sent;
      const version = numberOf(sentVersion ?? document["schema_version"]);
      const key = param("key");
      const result = await saveAtVersion(ctx, { kind, key }, { ...document, key }, version);
      return {
        to: `${collectionTerms[kind].path}/${key}`,
        flash: "Definition saved",
        document: definitionDocument(c, result),
      };
    },
    // A conflict is not an error in the entered document.
    explain: (error) => (error.code === "conflict" ? error : withFieldError(error, "document")),
  });
  return { show, save };
}
