import { expect } from "vitest";
import { Client, type Answer } from "../support/client";
import { accessToken } from "../support/oauth";
import { client, issue } from "../support/service";
import type { Kind } from "./narrow-world";

/** Two collections that look the same through their views, although one hides more. */

const permissions = [
  "records:read",
  "records:write",
  "submissions:read",
  "submissions:write",
  "submissions:delete",
  "schema:read",
];

const computed = (key: string, formula: string) => ({
  key,
  label: key,
  type: "computed",
  formula,
  result: "number",
});
const number = (key: string) => ({ key, label: key, type: "number" });

const shown = [
  { key: "title", type: "text", required: true },
  { key: "code", type: "text", unique: true },
  { key: "team", type: "select", options: [{ value: "ours" }, { value: "theirs" }] },
  number("amount"),
  { key: "day", type: "date" },
  { key: "tags", type: "multi_select", options: [{ value: "x" }, { value: "y" }] },
  { key: "lines", type: "line_items", fields: [number("qty"), computed("ratio", "1 / qty")] },
  computed("inverse", "1 / amount"),
  { key: "docs", type: "files" },
];
const few = [{ key: "alpha", type: "text" }];
const label = "L".repeat(200);
const many = [
  { key: "alpha", label, type: "text", unique: true },
  number("beta"),
  { key: "rows", label, type: "line_items", fields: [number("n"), computed("r", "1 / n")] },
  computed("bad", "1 / beta"),
  {
    key: "pick",
    type: "select",
    options: Array.from({ length: 500 }, (_, index) => ({ value: `v${index}`, label })),
  },
  { key: "attached", type: "files" },
];
export const view = {
  key: "ours",
  name: "Ours",
  conditions: [{ field: "team", op: "eq", value: "ours" }],
  fields: shown.map(({ key }) => key),
};

export interface Twin {
  kind: Kind;
  key: string;
  items: string;
  partner: Client;
  ids: string[];
}

/** `isRich` is the twin that hides more. Both keys have the same length. */
export async function createTwin(
  owner: Client,
  kind: Kind,
  isRich: boolean,
  name = "twin",
): Promise<Twin> {
  const key = `${name}${kind}${isRich ? "b" : "a"}`;
  const base = `/${kind}s/${key}`;
  const items = `${base}/${kind === "app" ? "records" : "submissions"}`;
  const views = isRich ? [{ key: "other", name: label.slice(0, 100) }, view] : [view];
  const definition = { name: "Twin", fields: [...shown, ...(isRich ? many : few)], views };
  const title = isRich && kind === "app" ? { title_field: "alpha" } : {};
  const created = await owner.put(`${base}/schema`, { ...definition, ...title });
  expect([created.status, created.text]).toEqual([201, created.text]);
  const resources = [`${kind}:${key}/ours`];
  // Access tokens of clients have the same limits as tokens.
  const partner =
    kind === "app"
      ? new Client(await accessToken(await issue({ kind: "client", permissions, resources })))
      : await client({ permissions, resources });
  const create = async (data: object): Promise<string> => {
    const answer = await owner.post(items, { data });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer.body.id;
  };
  const unseen = { day: "2026-01-01", tags: ["x"], lines: [{ qty: 7 }] };
  const createOutside = (index: number) =>
    create({ title: `o${index}`, team: "theirs", amount: 100 + index, ...unseen });
  const rows = Array.from({ length: 300 }, () => ({ n: 0 }));
  const ids = [];
  for (const index of [0, 1, 2]) {
    const hidden = isRich ? { alpha: `s${index}`, beta: 0, rows, pick: "v1" } : {};
    const seen = { title: `i${index}`, team: "ours", code: `c${index}`, amount: index };
    ids.push(await create({ ...seen, ...hidden }));
    for (const other of isRich ? [2 * index, 2 * index + 1] : []) await createOutside(other);
  }
  return { kind, key, items, partner, ids };
}

/** The response without what names the twin, its items and the time. */
export function comparable({ status, text, headers }: Answer, { key, ids }: Twin): string {
  const unequal = /^(x-request-id|ratelimit)$/;
  const isEqual = ([name, value]: [string, string]) =>
    !unequal.test(name) && (name !== "etag" || /^"\d+"$/.test(value));
  const sent = [status, [...headers].filter(isEqual), text];
  const others = new Map<string, string>();
  const name = (id: string) => {
    const index = ids.indexOf(id);
    if (index !== -1) return `ITEM${index}`;
    others.set(id, others.get(id) ?? `OTHER${others.size}`);
    return others.get(id) ?? "";
  };
  return JSON.stringify(sent)
    .replaceAll(new RegExp(key, "gi"), "KEY")
    .replaceAll(/(rec|sub|fil|bat)_[0-9A-Z]{26}/g, name)
    .replaceAll(/schema_version\\":\d+/g, "SCHEMA")
    .replaceAll(/credential:[0-9A-Z]{26}/g, "ACTOR")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{3}Z)?/g, "TIME")
    .replaceAll(/request_id\\":\\"[^"\\]*|"2.0\\",\\"id\\":\d+|0{4}\d\d\b/g, "NUMBER")
    .replaceAll(/cursor=([\w-]+)/g, (_, cursor: string) => `CURSOR${cursor.length}`);
}

export type Step = (twin: Twin) => Promise<Answer>;

/** `*` stands for the path of the items, `/~` for that of an item, and `ITEM0` for the ID of the first one. */
export const send =
  (method: string, path: string, body?: unknown, headers = {}): Step =>
  ({ kind, key, items, ids, partner }) => {
    const named = (text: string) =>
      text
        .replace("*", items)
        .replace("/~", kind === "app" ? items : "/submissions")
        .replace("BASE", `/${kind}s/${key}`)
        .replace("KIND", kind)
        .replace("KEY", key)
        .replaceAll(/ITEM(\d+)/g, (_, index: string) => ids[Number(index)] ?? "");
    const own = body === undefined ? undefined : JSON.parse(named(JSON.stringify(body)));
    return partner.send(method, named(path), own, headers);
  };

/** All pages of a list, as one response. */
export const pages =
  (path: string): Step =>
  async (twin) => {
    const texts = [];
    let page = await send("GET", path)(twin);
    while (page.body.items.length > 0 && texts.length < 20) {
      texts.push(page.text);
      if (page.body.links.next === null) break;
      page = await twin.partner.get(page.body.links.next);
    }
    return { ...page, text: [...texts, page.text].join("\n") };
  };
