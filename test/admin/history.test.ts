import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { admin, client, makeForm } from "../support/service";

const fields = [
  { key: "title", type: "text" },
  { key: "amount", type: "number" },
  { key: "double", type: "computed", formula: "amount * 2", result: "number" },
];

describe("The history of an item", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("lists changes with actor and values, newest first, without retired fields", async () => {
    const form = await makeForm(integrator, fields);
    const created = await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    const { id } = created.body;
    await integrator.patch(`/submissions/${id}`, { data: { title: "b", amount: 2 } });
    await integrator.patch(`/submissions/${id}`, { status: "closed" });
    const { body: me } = await integrator.get("/me");
    const { body } = await admin("GET", `/forms/${form}/items/${id}`);
    expect(body.history).toMatchObject({
      older: false,
      items: [
        {
          version: 3,
          by: me.actor,
          action: "submission.close",
          fields: [{ key: "$status", from: "submitted", to: "closed" }],
        },
        {
          version: 2,
          fields: [
            { key: "title", from: "a", to: "b" },
            { key: "amount", from: null, to: 2 },
            { key: "double", from: null, to: 4 },
          ],
        },
        { version: 1, action: "submission.create", fields: [] },
      ],
    });
    const page = await admin("GET", `/forms/${form}/items/${id}`, undefined, {
      Accept: "text/html",
    });
    expect(page.text).toMatch(/Amount<\/dt><dd><span class="muted">\(empty\)<\/span>/i);
    await integrator.put(`/forms/${form}/schema`, { fields: fields.slice(1) });
    const retired = await admin("GET", `/forms/${form}/items/${id}`);
    expect(retired.body.history.items[1].fields.map(({ key }: { key: string }) => key)).toEqual([
      "amount",
      "double",
    ]);
  });

  it("reverts a change on the current version, and returns 412 on an older one", async () => {
    const form = await makeForm(integrator, fields);
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "a", amount: 1 },
    });
    const { id } = created.body;
    await integrator.patch(`/submissions/${id}`, { data: { title: "b" } });
    await integrator.patch(`/submissions/${id}`, { data: { amount: 9 } });
    const url = `/forms/${form}/items/${id}/revert`;
    const staleRevert = await admin("POST", url, { version: "2", change: "2" });
    expect(staleRevert.status).toBe(412);
    expect((await admin("POST", url, { version: "3", change: "1" })).status).toBe(422);
    const revert = await admin("POST", url, { version: "3", change: "2" });
    expect([revert.status, revert.body.data]).toEqual([200, { title: "a", amount: 9, double: 18 }]);
  });
});

describe("The history of line items", () => {
  it("shows the rows and cells that changed, and reverts one field alone", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [
      { key: "title", label: "Title", type: "text" },
      {
        key: "lines",
        label: "Lines",
        type: "line_items",
        fields: [
          { key: "sku", label: "SKU", type: "text" },
          { key: "qty", label: "Qty", type: "number" },
        ],
      },
    ]);
    const row = (sku: string, qty: number) => ({ sku, qty });
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "a", lines: [row("A", 12), row("B", 1)] },
    });
    const { id } = created.body;
    await integrator.patch(`/submissions/${id}`, {
      data: { title: "b", lines: [row("A", 14), row("B", 1), row("C", 3)] },
    });
    const path = `/forms/${form}/items/${id}`;
    const { text } = await admin("GET", path, undefined, { Accept: "text/html" });
    const words = text.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
    expect(words).toContain("Row 1: Qty 12 → 14");
    expect(words).toContain("Row 3 added: SKU C, Qty 3");
    expect(words).not.toContain("2 rows → 3 rows");
    const revert = await admin("POST", `${path}/revert`, { version: 2, change: 2, field: "lines" });
    expect(revert.body.data).toEqual({ title: "b", lines: [row("A", 12), row("B", 1)] });
    const unknown = await admin("POST", `${path}/revert`, { version: 3, change: 2, field: "none" });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, "change"]);
  });
});
