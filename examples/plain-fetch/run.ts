import { setTimeout as wait } from "node:timers/promises";

/** `npm run -s example:plain-fetch`, with URL and TOKEN in the environment. */

const { URL: url = "http://127.0.0.1:8787", TOKEN: token = "" } = process.env;
const root = `${url}/api/v1`;

// A JSON document of the API. examples/typed-client has precise types.
// oxlint-disable-next-line typescript/no-explicit-any
type Document = any;

async function call(
  method: string,
  path: string,
  body?: object,
  headers = {},
): Promise<{ document: Document; etag: string }> {
  const response = await fetch(path.startsWith("http") ? path : root + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (response.status === 429 || response.status === 503) {
    await wait(Number(response.headers.get("Retry-After")) * 1000);
    return call(method, path, body, headers);
  }
  const document = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Error(`${document.code}: ${document.detail}`);
  return { document, etag: response.headers.get("ETag") ?? "" };
}

// Requests with the same key create one record, so you can run this program twice.
const created = await call(
  "POST",
  "/apps/orders/records",
  {
    data: {
      customer: "Sato",
      ordered_on: "2026-11-21",
      lines: [{ sku: "A-1", qty: 2, price: 15.1 }],
    },
  },
  { "Idempotency-Key": "plain-fetch-1" },
);
console.log(`created ${created.document.receipt_number}, total ${created.document.data.total}`);

// Changes the record only if it still has this version. Otherwise, the service returns 412.
const path = `/apps/orders/records/${created.document.id}`;
const current = await call("GET", path);
const updated = await call(
  "PATCH",
  path,
  { data: { state: "packed" } },
  { "If-Match": current.etag },
);
console.log(`changed to version ${updated.document.version}`);

let count = 0;
for (let next = "/apps/orders/records?limit=2"; next !== null;) {
  const { document } = await call("GET", next);
  count += document.items.length;
  next = document.links.next;
}
console.log(`${count} records`);
