import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { toolsOf } from "../mcp/mcp-client";
import { host, type Client } from "../support/client";
import { pathWith, routes } from "../support/routes";
import { client } from "../support/service";

// Clients, generators and assistants depend on these files byte for byte. A file changes only with the contract.
// `npm test -- test/golden -u` writes the files again.

const options = [{ value: "a", label: "A" }, { value: "b" }];
const fields = [
  { key: "title", label: "Title", type: "text", required: true, min_length: 2, max_length: 10 },
  { key: "code", type: "text", pattern: "^[A-Z]{2}\\d+$", unique: true },
  { key: "long", type: "multiline_text", default: "none" },
  { key: "number", type: "number", minimum: 0.5, maximum: 9, decimals: 2 },
  { key: "integer", type: "number", integer: true },
  { key: "boolean", type: "boolean" },
  { key: "date", type: "date" },
  { key: "datetime", type: "datetime" },
  { key: "email", type: "email" },
  { key: "url", type: "url" },
  { key: "phone", type: "phone" },
  { key: "select", type: "select", options },
  { key: "multi", type: "multi_select", required: true, options },
  {
    key: "lines",
    type: "line_items",
    min_rows: 1,
    max_rows: 20,
    fields: [
      { key: "qty", type: "number", required: true },
      { key: "kind", type: "select", options },
      { key: "product", type: "reference", app: "golden_product" },
      { key: "twice", type: "computed", formula: "qty * 2", result: "number" },
    ],
  },
  { key: "customer", type: "reference", app: "golden_product", required: true },
  { key: "hidden", type: "text", searchable: false },
  { key: "sum", type: "computed", formula: "sum(lines.map(l, l.twice))", result: "number" },
];

let caller: Client;

beforeAll(async () => {
  caller = await client();
  const form = { name: "Golden form", time_zone: "Asia/Tokyo", fields };
  const app = { name: "Golden app", receipt_prefix: "GOL-", fields };
  const product = { name: "Product", title_field: "name", fields: [{ key: "name", type: "text" }] };
  await caller.put("/apps/golden_product/schema", product);
  await caller.put("/forms/golden_form/schema", form);
  await caller.put("/apps/golden_app/schema", app);
});

const format = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

describe("The OpenAPI documents", () => {
  const documents: Record<string, string> = {
    service: `${host}/openapi.json`,
    form: "/forms/golden_form/openapi.json",
    app: "/apps/golden_app/openapi.json",
    joined: "/openapi.json?apps=golden_app&forms=golden_form",
  };

  it.each(Object.entries(documents))("match the golden file: %s", async (name, path) => {
    const { status, body } = await caller.get(path);
    expect(status).toBe(200);
    await expect(format(body)).toMatchFileSnapshot(`openapi-${name}.json`);
  });

  it("match the golden file in version 3.0", async () => {
    const { status, body } = await caller.get(`${documents["joined"]}&version=3.0`);
    expect(status).toBe(200);
    await expect(format(body)).toMatchFileSnapshot("openapi-joined-3.0.json");
  });
});

describe("The tools of MCP", () => {
  it("match the golden file for one form", async () => {
    const tools = await toolsOf(caller, "?forms=golden_form");
    await expect(format(tools)).toMatchFileSnapshot("mcp-tools-of-a-form.json");
  });

  it("match the golden file for all collections", async () => {
    await expect(format(await toolsOf(caller))).toMatchFileSnapshot("mcp-tools.json");
  });
});

describe("The routes", () => {
  it("match the golden file, with the name of each in the log", async () => {
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((line: unknown) => {
      const entry = String(line);
      if (entry.startsWith('{"event":"request"')) lines.push(JSON.parse(entry).route);
    });
    const names: string[] = [];
    for (const [name, { method, path }] of [...routes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      lines.length = 0;
      await exports.default.fetch(
        new Request(host + pathWith(path, {}), { method, redirect: "manual" }),
      );
      names.push(`${name} is logged as ${lines.join()}`);
    }
    log.mockRestore();
    await expect(`${names.join("\n")}\n`).toMatchFileSnapshot("routes.txt");
  });
});
