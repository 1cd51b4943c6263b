import { beforeAll } from "vitest";
import { type Client, type Json } from "../support/client";
import { admin, client, makeForm } from "../support/service";

/** Forms into which tests import files. */

export const fields = [
  { key: "title", label: "Title", type: "text", required: true },
  { key: "code", label: "Code", type: "text", unique: true },
  { key: "amount", label: "Amount", type: "number", decimals: 2 },
  { key: "agreed", label: "Agreed", type: "boolean" },
  { key: "at", label: "At", type: "datetime" },
  {
    key: "kind",
    label: "Kind",
    type: "select",
    options: [
      { value: "a", label: "First one" },
      { value: "b", label: "Second" },
    ],
  },
  {
    key: "tags",
    label: "Tags",
    type: "multi_select",
    options: [
      { value: "x", label: "X, the first" },
      { value: "y", label: "Y" },
    ],
  },
  { key: "note", label: "Note", type: "multiline_text", default: "none" },
  {
    key: "lines",
    label: "Lines",
    type: "line_items",
    fields: [
      { key: "sku", label: "SKU", type: "text" },
      { key: "qty", label: "Qty", type: "number" },
    ],
  },
  { key: "total", label: "Total", type: "computed", formula: "amount * 2", result: "number" },
];

export let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});
export const createForm = async (formFields: object[] = fields, settings: object = {}) => {
  const key = await makeForm(integrator, formFields, settings);
  const items = `/forms/${key}/items`;
  const send = async (body: object): Promise<Json> =>
    (await admin("POST", `${items}/import`, body)).body;
  const storedItems = async () => (await admin("GET", items)).body.items as Json[];
  return { key, items, send, storedItems };
};
export const csvOf = (count: number) =>
  `title,amount\n${Array.from({ length: count }, (_, i) => `Row ${i},${i}\n`).join("")}`;
