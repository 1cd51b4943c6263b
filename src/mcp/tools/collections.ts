import { listVisible, readDefinition } from "../../actions/definitions/definitions";
import type { CollectionKind } from "../../domain/definition/collection";
import { defaultLimit } from "../../domain/page-limit";
import { schemaDocument, summaryDocument } from "../../documents/definition";
import type { ApiEnv, Reading } from "../../env";
import { cursorAt, readPosition } from "../../http/request/paging";
import { plainInput } from "./inputs";
import { parameterSchemas, refuseRest, take } from "./parameters";
import type { Sent, Tool } from "./tool";

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

const definition: Tool = {
  ...reading,
  name: "read_definition",
  title: "Read a definition",
  description:
    "The fields of an app or a form: their keys, types and rules, and whether a form accepts submissions.",
  permission: "schema:read",
  input: () => plainInput(parameterSchemas("kind", "key")),
  async call(c, sent) {
    const { body, kind, key } = take(sent, "kind", "key");
    refuseRest(body);
    const now = await readDefinition(c.var.action, kind, key);
    return schemaDocument(now.collection, now.live, now.indexing, now.pending, Date.now());
  },
};

export const collectionTools: Tool[] = [listing("app"), listing("form"), definition];
