import { EdgeForms } from "edge-forms-client";
import type { components } from "./purchase.ts";

/**
 * `npm run -s example:typed-client`, with URL and TOKEN in the environment. `purchase.ts` is generated from the form's
 * OpenAPI document, as the README describes. A wrong key or type does not compile.
 */

const { URL: url = "http://127.0.0.1:8787", TOKEN: token = "" } = process.env;
const purchases = new EdgeForms<components["schemas"]>({ url, token }).submissions("purchase");

const created = await purchases.create(
  { title: "Paper", department: "Office", amount: 30.2, tags: ["hardware"] },
  { key: "typed-client-1" },
);
console.log(`created ${created.id}: ${created.data.title}`);

let count = 0;
let amount = 0;
for await (const { data } of purchases.list({ limit: 2 })) {
  count += 1;
  amount += data.amount ?? 0;
}
console.log(`${count} submissions, ${amount.toFixed(2)} in all`);

for await (const { id } of purchases.search({
  conditions: [
    { field: "department", op: "eq", value: "Office" },
    { field: "amount", op: "gte", value: 30 },
  ],
})) {
  console.log(`found ${id}`);
}
