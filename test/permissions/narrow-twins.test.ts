import { beforeAll, describe, expect, it } from "vitest";
import { host, type Client } from "../support/client";
import { client } from "../support/service";
import { speak } from "../mcp/mcp-client";
import type { Kind } from "./narrow-world";
import { comparable, createTwin, pages, send, view, type Step, type Twin } from "./twins";

/**
 * Two collections that look the same through their views. Behind its view, one has far more fields, items, views and
 * texts. Everything that a narrow credential asks must get the same response from both.
 */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

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
    [poor, rich] = [await createTwin(owner, kind, false), await createTwin(owner, kind, true)];
  });

  it.each(Object.entries(steps))("return the same responses to %s", async (_, own) => {
    for (const step of own) {
      const [ofRich, ofPoor] = await Promise.all([step(rich), step(poor)]);
      expect(comparable(ofRich, rich)).toBe(comparable(ofPoor, poor));
    }
  });
});
