import { beforeAll, describe, expect, it } from "vitest";
import { host, type Answer, type Client } from "../support/client";
import { client } from "../support/service";
import { speak } from "../mcp/mcp-client";
import type { Kind } from "./narrow-world";

/**
 * Two collections that look the same through their views. Behind its view, one has far more fields, items, views and
 * texts. Everything that a narrow credential asks must get the same response from both.
 */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

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
const view = {
  key: "ours",
  name: "Ours",
  conditions: [{ field: "team", op: "eq", value: "ours" }],
  fields: shown.map(({ key }) => key),
};

interface Twin {
  kind: Kind;
  key: string;
  items: string;
  partner: Client;
  ids: string[];
}

/** `isRich` is the twin that hides more. */
async function createTwin(kind: Kind, isRich: boolean): Promise<Twin> {
  const key = `twin${kind}${isRich ? "b" : "a"}`;
  const base = `/${kind}s/${key}`;
  const items = `${base}/${kind === "app" ? "records" : "submissions"}`;
  const views = isRich ? [{ key: "other", name: label.slice(0, 100) }, view] : [view];
  const definition = { name: "Twin", fields: [...shown, ...(isRich ? many : few)], views };
  const title = isRich && kind === "app" ? { title_field: "alpha" } : {};
  const created = await owner.put(`${base}/schema`, { ...definition, ...title });
  expect([created.status, created.text]).toEqual([201, created.text]);
  const partner = await client({ permissions, resources: [`${kind}:${key}/ours`] });
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
    for (const unseen of isRich ? [2 * index, 2 * index + 1] : []) await createOutside(unseen);
  }
  return { kind, key, items, partner, ids };
}

/** The response without what names the twin, its items and the time. */
function comparable({ status, text, headers }: Answer, { key, ids }: Twin): string {
  const unequal = /^(x-request-id|ratelimit|etag)$/;
  const sent = [status, [...headers].filter(([name]) => !unequal.test(name)), text];
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
    .replaceAll(/credential:[0-9A-Z]{26}/g, "ACTOR")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{3}Z)?/g, "TIME")
    .replaceAll(/request_id\\":\\"[^"\\]*|"2.0\\",\\"id\\":\d+|0{4}\d\d\b/g, "NUMBER")
    .replaceAll(/cursor=([\w-]+)/g, (_, cursor: string) => `CURSOR${cursor.length}`);
}

type Step = (twin: Twin) => Promise<Answer>;

/** `*` stands for the path of the items, `/~` for that of an item, and `ITEM0` for the ID of the first one. */
const send =
  (method: string, path: string, body?: unknown, headers = {}): Step =>
  ({ kind, key, items, ids, partner }) => {
    const named = (text: string) =>
      text
        .replace("*", items)
        .replace("/~", kind === "app" ? items : "/submissions")
        .replace("BASE", `/${kind}s/${key}`)
        .replace("KIND", kind)
        .replace("KEY", key)
        .replaceAll(/ITEM(\d)/g, (_, index: string) => ids[Number(index)] ?? "");
    const own = body === undefined ? undefined : JSON.parse(named(JSON.stringify(body)));
    return partner.send(method, named(path), own, headers);
  };

const search = (body: object) => send("POST", "*/search", body);
const aggregate = (body: object) => send("POST", "*/aggregate", body);
const batch = (...operations: object[]) => send("POST", "*/batch", { operations });
const download = (accept: string) => send("GET", "*", undefined, { Accept: accept });
const upload = (field: string) => {
  const file = { name: "a.pdf", bytes: 1, sha256: "0".repeat(64) };
  return send("POST", "/files", { collection: "KIND:KEY", field, ...file });
};
const tools =
  (parameters: (twin: Twin) => string): Step =>
  (twin) =>
    speak(twin.partner, "tools/list", {}, {}, `${host}/mcp${parameters(twin)}`);

/** All pages of a list, as one response. */
const pages =
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

const anyField = [...view.fields, "alpha", "$id", "$status", "$created_by", "$updated_at", "$nope"];
const operands = {
  eq: "o1",
  ne: "o1",
  gt: 1,
  contains: "o",
  is_empty: false,
  in: ["o1"],
  has_any: ["x"],
  any: [{ field: "qty", op: "eq", value: 7 }],
};
const ofField = (field: string): Step[] => [
  ...Object.entries(operands).map(([op, value]) => search({ conditions: [{ field, op, value }] })),
  search({ sort: [{ field, direction: "desc" }], limit: 50 }),
  search({ sort: [{ field: "amount" }, { field }] }),
  search({ fields: [field] }),
  aggregate({ metrics: { n: { op: "count" } }, group_by: [{ field }] }),
  aggregate({ metrics: { n: { op: "max", field }, d: { op: "count_distinct", field } } }),
];

const zeros = Array.from({ length: 99 }, () => ({ qty: 0 }));
const failing = { amount: 0, lines: zeros };
const ours = { title: "n", team: "ours" };

/** Later steps see what earlier ones wrote. */
const steps: Record<string, Step[]> = {
  "the definition": [
    send("GET", "BASE/schema"),
    send("GET", "BASE"),
    send("GET", "BASE/openapi.json"),
    send("GET", "/openapi.json?KINDs=KEY&version=3.0"),
    send("GET", "/KINDs"),
    send("PUT", "BASE/schema", { fields: [] }),
  ],
  "the tools of MCP": [tools(() => ""), tools(({ kind, key }) => `?${kind}s=${key}`)],
  lists: [
    send("GET", "*"),
    ...["text/csv", "text/csv;profile=spreadsheet", "text/csv;rows=lines"].map(download),
    send("GET", "BASE/changes"),
    send("GET", "BASE/changes?all=true"),
    ...[1, 2].map((limit) => pages(`*?limit=${limit}`)),
    ...[1, 2].map((limit) => pages(`BASE/changes?limit=${limit}`)),
    send("HEAD", "/~/ITEM0"),
  ],
  ...Object.fromEntries(anyField.map((field) => [`searches by ${field}`, ofField(field)])),
  creates: [
    send("POST", "*", { data: { ...ours, ...failing } }),
    send("POST", "*", { data: { ...ours, code: "c1" } }),
    send("POST", "*", { data: { ...ours, code: "s1" } }),
    upload("attached"),
    upload("beta"),
  ],
  updates: [
    send("PATCH", "/~/ITEM1", { data: failing }),
    send("PATCH", "/~/ITEM0", { data: {} }),
    send("PATCH", "/~/ITEM0", { data: { amount: { $increment: 1 } } }),
    send("PATCH", "/~/ITEM0", { data: { alpah: "x", Title: 1, lines: [{ qtty: 1 }] } }),
  ],
  batches: [
    batch({ op: "upsert", by: "alpha", data: { ...ours, alpha: "s1" } }),
    batch({ op: "upsert", by: "title", data: ours }),
    batch({ op: "upsert", by: "code", data: { ...ours, ...failing, code: "c1" } }),
    batch({ op: "update", id: "ITEM2", data: failing }),
    batch({ op: "update", id: "ITEM0", data: { alpha: 1 } }, { op: "nope" }),
  ],
  "the end": [send("DELETE", "/~/ITEM2"), send("GET", "BASE/changes"), send("GET", "*")],
};

describe.each(["form", "app"] as Kind[])("Two %ss that differ only behind a view", (kind) => {
  let poor: Twin;
  let rich: Twin;
  beforeAll(async () => {
    [poor, rich] = [await createTwin(kind, false), await createTwin(kind, true)];
  });

  it.each(Object.entries(steps))("return the same responses to %s", async (_, own) => {
    for (const step of own) {
      const [ofRich, ofPoor] = await Promise.all([step(rich), step(poor)]);
      expect(comparable(ofRich, rich)).toBe(comparable(ofPoor, poor));
    }
  });
});
