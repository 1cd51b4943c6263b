import { Purchases } from "./client.ts";

/** `npm run -s example:typed-client`, with URL and TOKEN in the environment. */

const { URL: url = "http://127.0.0.1:8787", TOKEN: token = "" } = process.env;
const purchases = new Purchases(url, token);

const created = await purchases.create(
  {
    data: {
      title: "Paper",
      department: "Office",
      amount: 30.2,
      tags: ["hardware"],
    },
  },
  "typed-client-1",
);
console.log(`created ${created.id}: ${created.data.title}`);

let count = 0;
let amount = 0;
for await (const { data } of purchases.all(2)) {
  count += 1;
  amount += data.amount ?? 0;
}
console.log(`${count} submissions, ${amount} in all`);

for await (const { id } of purchases.search([
  { field: "department", op: "eq", value: "Office" },
  { field: "amount", op: "gte", value: 30 },
])) {
  console.log(`found ${id}`);
}
