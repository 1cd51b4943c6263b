import { EdgeForms } from "edge-forms-client";

/** `npm run -s example:night-job` stores the orders of a day. It stores each order once, even if you rerun it. */

const { EDGE_FORMS_URL: url = "http://127.0.0.1:8787", EDGE_FORMS_TOKEN: token = "" } = process.env;
let requests = 0;
const countingFetch: typeof fetch = (...args) => {
  requests += 1;
  return fetch(...args);
};
const client = new EdgeForms({ url, token, fetch: countingFetch });
const day = new Date().toISOString().slice(0, 10);

/** The orders of a shop on that day. */
const orders = Array.from({ length: 300 }, (_, index) => ({
  customer: `Customer ${index}`,
  ordered_on: day,
  lines: [{ sku: "A-1", qty: 1 + (index % 5), price: 15.1 }],
}));

const started = Date.now();
const operations = orders.map((data) => ({ op: "create", data }) as const);
const results = await client.records("orders").batch(operations, { key: `night-${day}` });
const receipts = new Set(results.map(({ receipt_number: receipt }) => receipt));
const seconds = ((Date.now() - started) / 1000).toFixed(1);
console.log(`${receipts.size} orders in ${requests} requests, ${seconds} s`);
