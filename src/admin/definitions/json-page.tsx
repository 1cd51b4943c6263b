import { apiRoot, collectionPaths, fillPath } from "#domain/api-paths.ts";
import { Copyable } from "#html/parts.tsx";
import { CollectionLayout, collectionPath, definitionDocument } from "./layout.tsx";
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
import type { Catalogue } from "#admin/language/index.tsx";
import { readForm, numberOf, textOf } from "#admin/form-input.ts";

type JsonText = Catalogue["definitionJson"];

function parseDefinition(source: string, text: JsonText): Record<string, unknown> {
  const document = parseJson(source, text);
  if (isObject(document)) return document;
  throw problem.invalidInput([errorAt(["document"], "invalid_type", text.notAnObject)]);
}

function parseJson(source: string, text: JsonText): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    throw problem.malformedJson(position ? text.invalidAt(position) : text.invalid);
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
      const { definitionJson: text, terms } = frame.text;
      const { items } = terms.collections[kind];
      const path = collectionPath[kind];
      const address = host + apiRoot + fillPath(collectionPaths(kind).items, { key });
      const bearer = '"Authorization: Bearer $TOKEN"';
      const read = `curl -s '${address}' -H ${bearer}`;
      return (
        <CollectionLayout {...{ frame, collection, live }} tab="api">
          <p class="lead">{text.lead(items)}</p>
          <p class="actions">
            <a class="button" href={`/docs?${kind}=${key}`}>
              {text.reference}
            </a>
            <a class="button quiet" href={`${path}/${key}/openapi.json`}>
              {text.openApi}
            </a>
            <a class="button quiet" href={`${path}/${key}/json`}>
              {text.edit}
            </a>
            <a class="button quiet" href="/admin/integrations">
              {text.credentials}
            </a>
          </p>
          <h2>{text.url}</h2>
          <Copyable id="address" text={address} />
          <h2>{text.example}</h2>
          <Copyable id="read" text={read} />
          <h2>{text.assistants}</h2>
          <p class="lead">{text.mcp(<a href="/docs/mcp">{text.mcpGuide}</a>)}</p>
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
      const { definitionJson: text, terms } = frame.text;
      const documentText = attempt
        ? textOf(attempt.values["document"])
        : JSON.stringify(document, null, 2);
      const { collection, itemCount: live } = current;
      const { key, version } = collection;
      const base = `${collectionPath[kind]}/${key}`;
      const canDefine = roleAllows(frame.member.role, "define");
      return (
        <CollectionLayout
          {...{ frame, collection, live, problem: attempt?.problem }}
          labels={text.labels}
          tab="api"
        >
          <h2>{text.title}</h2>
          <p class="lead">
            {text.description(
              <code>PUT {apiRoot + fillPath(collectionPaths(kind).schema, { key })}</code>,
              <code>"renamed_from"</code>,
            )}
          </p>
          <form method="post" action={`${base}/json`} data-warn={attempt ? "unsaved" : ""}>
            <input type="hidden" name="version" value={String(version)} />
            <TextArea
              name="document"
              label={text.labels.document}
              class="code"
              spellcheck={false}
              readonly={!canDefine}
              value={documentText}
              wide
            />
            <p class="actions">
              {canDefine ? <button type="submit">{terms.saveChanges}</button> : null}
              <a class="button quiet" href={`${base}/api`}>
                {text.back}
              </a>
            </p>
          </form>
        </CollectionLayout>
      );
    },
  });
  const save = form({
    async act({ c, ctx, param, text }) {
      const { version: sentVersion, ...sent } = await readForm(c);
      const document =
        typeof sent["document"] === "string"
          ? parseDefinition(sent["document"], text.definitionJson)
          : sent;
      const version = numberOf(sentVersion ?? document["schema_version"]);
      const key = param("key");
      const result = await saveAtVersion(ctx, { kind, key }, { ...document, key }, version, text);
      return {
        to: `${collectionPath[kind]}/${key}`,
        flash: text.definitionJson.saved,
        document: definitionDocument(c, result),
      };
    },
    // A conflict is not an error in the entered document.
    explain: (error, text) =>
      error.code === "conflict" ? error : withFieldError(error, "document", text),
  });
  return { show, save };
}
