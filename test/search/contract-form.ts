import { beforeAll, expect } from "vitest";
import { type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";

/** A form with the items that tests of the search find. */

export const text = (key: string, settings: object = {}) => ({ key, type: "text", ...settings });
export const fields = [
  text("customer"),
  { key: "amount", type: "number" },
  { key: "due", type: "date" },
  { key: "at", type: "datetime" },
  { key: "done", type: "boolean" },
  { key: "kind", type: "select", options: [{ value: "a" }, { value: "b" }] },
  { key: "tags", type: "multi_select", options: [{ value: "x" }, { value: "y" }] },
  { key: "lines", type: "line_items", fields: [text("sku"), { key: "qty", type: "number" }] },
  text("secret", { searchable: false }),
];

export let integrator: Client;
export let form: string;
export let path: string;
beforeAll(async () => {
  integrator = await client();
  form = await makeForm(integrator, fields);
  path = `/forms/${form}/submissions/search`;
  const documents = [
    {
      customer: "Yamada",
      amount: 10,
      lines: [
        { sku: "A-1", qty: 2 },
        { sku: "B-1", qty: 9 },
      ],
    },
    { customer: "yamada Taro", amount: 30.2, due: "2026-11-21+09:00", tags: ["x"], kind: "a" },
    { customer: "Straße 100%", amount: null, done: true, tags: ["x", "y"], secret: "s" },
    {
      customer: null,
      amount: 30.2,
      at: "2026-11-21T00:00:00+09:00",
      lines: [{ sku: "A-1", qty: 9 }],
    },
  ];
  for (const data of documents) await integrator.post(`/forms/${form}/submissions`, { data });
});

export const amounts = async (body: Json) =>
  (await integrator.post(path, body)).body.items.map((item: Json) => item.data.amount);
export const customers = async (...conditions: Json[]) => {
  const answer = await integrator.post(path, { conditions, sort: [{ field: "$created_at" }] });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.items.map((item: Json) => item.data.customer);
};
