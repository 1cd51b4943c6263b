import { findDefinition, listVisible } from "#actions/definitions.ts";
import { isVisible } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { defaultLimit } from "#domain/cursor.ts";
import { schemaDocument, summaryDocument } from "#documents/definitions.ts";
import type { ApiEnv, Reading } from "#http/env.ts";
import { cursorAt, readPosition } from "#http/paging.ts";
import { plainInput } from "./inputs.ts";
import { parameterSchemas, refuseRest, take } from "./parameters.ts";
import type { Sent, Tool } from "./tool.ts";

/** Tools about apps and forms themselves. */

const reading = {
  effect: { write: false, once: false },
  hints: { destructive: false, idempotent: true },
  kind: null,
};

const listing = (kind: CollectionKind): Tool => ({
  ...reading,
  name: `list_${kind}s`,
  title: `List ${kind}s`,
  description: `The ${kind}s that there are, with their keys.`,
  permission: null,
  input: () => plainInput(parameterSchemas("limit", "cursor")),
  call: (c, sent) => answerList(c, kind, sent),
});

async function answerList(c: Reading<ApiEnv>, kind: CollectionKind, sent: Sent) {
  const { body, limit = defaultLimit, cursor } = take(sent, "limit", "cursor");
  refuseRest(body);
  const start = await readPosition(c, `${kind}s`, { cursor });
  const { action } = c.var;
  const after = Number(start?.[0] ?? 0);
  const { shown, more } = await listVisible(action, action.resources, kind, after, limit);
  return {
    items: shown.map(summaryDocument),
    next_cursor: more === null ? null : await cursorAt(c, `${kind}s`, [more]),
  };
}

const definition: Tool<CollectionNow> = {
  ...reading,
  name: "read_definition",
  title: "Read a definition",
  description:
    "The fields of an app or a form: their keys, types and rules, and whether a form accepts submissions.",
  permission: "schema:read",
  input: () => plainInput(parameterSchemas("kind", "key")),
  async read(ctx, _, sent) {
    const { body, kind, key } = take(sent, "kind", "key");
    refuseRest(body);
    return findDefinition(ctx, kind, key);
  },
  async call(c, _, __, given) {
    const now = await given();
    const { kind, key } = now.collection;
    if (!isVisible(c.var.action.resources, kind, key)) throw problem.notFound();
    return schemaDocument(now.collection, now.live, now.indexing, now.pending, Date.now());
  },
};

export const collectionTools: Tool[] = [listing("app"), listing("form"), definition];
