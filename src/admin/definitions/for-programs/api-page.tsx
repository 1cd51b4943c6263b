import { Copyable } from "../../../html/parts/copyable";
import type { CollectionNow } from "../../../store/definitions/collection-now";
import type { Frame } from "../../frame/frame";
import { CollectionHead } from "../head";
import { words } from "../words";

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
