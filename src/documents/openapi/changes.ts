import { actor, parameter } from "./components";
import type { Schema } from "./field-schema";
import type { Noun } from "./noun";
import { operation, page } from "./paths";
import { object, ref, refusals } from "./responses";

/** The changes feed of a collection (contract, section 13). */
export function changePaths({ one, many, list, listParameters }: Noun): Schema {
  const path = `${list.slice(0, list.lastIndexOf("/"))}/changes`;
  const told = {
    id: `list${one}Changes`,
    summary: `Follow what happens to ${many}`,
    description:
      "What happened, in the order of commit, and the items as they are now. `links.next` is never null: an empty page is the present end, and its `next` goes on from there. Kept 30 days.",
    permissions: [`${many}:read`],
    tag: many,
  };
  return {
    [path]: {
      ...(listParameters.length > 0 ? { parameters: listParameters } : {}),
      get: {
        ...operation(told),
        parameters: [
          ref("parameters", "limit"),
          ref("parameters", "feedCursor"),
          ref("parameters", "all"),
        ],
        responses: { "200": page(`${one}Changes`), ...refusals(410, 422) },
      },
    },
  };
}

export function changeSchemas({ one }: Noun): Schema {
  const entry = {
    id: { type: "string" },
    type: { type: "string", enum: ["created", "updated", "deleted"] },
    version: { type: "integer", minimum: 1 },
    etag: { type: "string" },
    at: { type: "string", format: "date-time" },
    by: actor,
    fields: {
      type: "array",
      items: { type: "string" },
      description: "The keys that changed; `$status` for the status.",
    },
  };
  const uri = { type: "string", format: "uri" };
  const properties = {
    items: { type: "array", items: ref("schemas", `${one}ChangeEntry`) },
    schema_version: { type: "integer", minimum: 1 },
    links: object({ self: uri, next: uri }, ["self", "next"]),
  };
  return {
    [`${one}ChangeEntry`]: {
      ...object({ ...entry, item: ref("schemas", one) }, Object.keys(entry)),
      description: "`item` is as it is now, and absent when it is gone.",
    },
    [`${one}Changes`]: object(properties, Object.keys(properties)),
  };
}

export function changeParameters(): Schema {
  const cursor =
    "As `links.next` gives it, or `now` for the end; left out, the oldest that is kept.";
  const all = "`true` tells each change; otherwise those of one item on one page are told as one.";
  const flag = { type: "string", enum: ["true", "false"], default: "false" };
  return {
    feedCursor: parameter("cursor", "query", cursor, { type: "string" }),
    all: parameter("all", "query", all, flag),
  };
}
