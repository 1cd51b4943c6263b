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
