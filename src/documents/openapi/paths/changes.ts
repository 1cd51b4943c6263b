import { parameter, type Noun } from "#documents/openapi/names.ts";
import type { Examples } from "#documents/openapi/examples.ts";
import { operation, page } from "./operation.ts";
import { refusals } from "#documents/openapi/responses.ts";
import { oneOfTexts, ref, text, type Schema } from "#documents/openapi/schema.ts";

/** The changes feed of a collection (contract, section 13). */
export function changePaths(noun: Noun, examples: Examples): Schema {
  const { one, called, many, list: items, listParameters } = noun;
  const told = {
    id: `list${called}Changes`,
    summary: `Follow what happens to ${many}`,
    description:
      "What happened, in the order of commit, and the items as they are now. `links.next` is never null: an empty page is the present end, and its `next` goes on from there. Kept 30 days.",
    permissions: [`${many}:read`],
    tag: many,
  };
  return {
    [items.replace(/[^/]+$/, "changes")]: {
      ...(listParameters.length > 0 ? { parameters: listParameters } : {}),
      get: {
        ...operation(told),
        parameters: [
          ref("parameters", "limit"),
          ref("parameters", "feedCursor"),
          ref("parameters", "all"),
        ],
        responses: {
          "200": page(`${one}Changes`, examples.answers?.changes),
          ...refusals(["changes_expired", "invalid_input"]),
        },
      },
    },
  };
}

export function changeParameters(): Schema {
  const cursor =
    "As `links.next` gives it, or `now` for the end; left out, the oldest that is kept.";
  const all = "`true` tells each change; otherwise those of one item on one page are told as one.";
  const flag = { ...oneOfTexts(["true", "false"]), default: "false" };
  return {
    feedCursor: parameter("cursor", "query", cursor, text),
    all: parameter("all", "query", all, flag),
  };
}
