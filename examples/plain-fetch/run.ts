import { setTimeout as wait } from "node:timers/promises";

/** `npm run -s example:plain-fetch`, with URL and TOKEN in the environment. */

const { URL: url = "http://127.0.0.1:8787", TOKEN: token = "" } = process.env;
const root = `${url}/api/v1`;

// What the API answers; a typed client knows more (examples/typed-client).
// oxlint-disable-next-line typescript/no-explicit-any
type Document = any;

async function call(
  method: string,
  path: string,
  body?: object,
  headers = {},
): Promise<{ document: Document; etag: string }> {
  const answer = await fetch(path.startsWith("http") ? path : root + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (answer.status === 429 || answer.status === 503) {
    await wait(Number(answer.headers.get("Retry-After")) * 1000);
    return call(method, path, body, headers);
  }
  const document = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(`${document.code}: ${document.detail}`);
  return { document, etag: answer.headers.get("ETag") ?? "" };
}

// The same key creates once: run this twice, and there is one record.
const create = await call(
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
console.log(`created ${create.document.receipt_number}, total ${create.document.data.total}`);

// A change that is meant for one version: 412 if somebody else was faster.
const path = `/apps/orders/records/${create.document.id}`;
const read = await call("GET", path);
const changed = await call("PATCH", path, { data: { state: "packed" } }, { "If-Match": read.etag });
console.log(`changed to version ${changed.document.version}`);

let count = 0;
for (let next = "/apps/orders/records?limit=2"; next !== null;) {
  const { document } = await call("GET", next);
  count += document.items.length;
  next = document.links.next;
}
console.log(`${count} records`);
