import { client as ordersClient } from "./.generated/hey-api-orders/client.gen.ts";
import {
  aggregateOrdersRecords,
  createOrdersRecord,
  searchOrdersRecords,
  type OrdersRecordAggregate,
} from "./.generated/hey-api-orders/index.ts";
import { client } from "./.generated/hey-api/client.gen.ts";
import {
  createPurchaseSubmission,
  getPurchaseFormDefinition,
  getPurchaseSubmission,
  putPurchaseFormDefinition,
  searchPurchaseSubmissions,
  updatePurchaseSubmission,
  type PurchaseSubmissionCondition,
  type PurchaseSubmissionCreate,
} from "./.generated/hey-api/index.ts";

/** Code as a user of @hey-api/openapi-ts writes it. Tests compile it strictly and run it against the server. */

const { URL: url = "", TOKEN: token = "" } = process.env;
for (const each of [client, ordersClient])
  each.setConfig({ baseUrl: `${url}/api/v1`, auth: () => token });

const created = await createPurchaseSubmission({
  headers: { "Idempotency-Key": "hey-api" },
  body: { data: { title: "By hey-api", department: "Office", amount: 1 } },
});
if (!created.data) throw new Error(created.error?.detail);
const { id, etag } = created.data;
const loaded = await getPurchaseSubmission({ path: { id } });
const title: string | null | undefined = loaded.data?.data.title;
const matches = await searchPurchaseSubmissions({
  body: { conditions: [{ field: "title", op: "eq", value: "By hey-api" }] },
});
const amounts: (number | null | undefined)[] =
  matches.data?.items.map(({ data }) => data.amount) ?? [];
console.log(`${title}: ${amounts.join(", ")}`);

// A draft may lack required fields and may be cleared. A wrong version returns 412 and changes nothing.
const draft = await createPurchaseSubmission({ body: { status: "draft", data: {} } });
const path = { id: draft.data?.id ?? "" };
await updatePurchaseSubmission({ path, body: { status: "draft", data: { title: null } } });
const conflict = await updatePurchaseSubmission({
  path: { id },
  headers: { "If-Match": '"99"' },
  body: { data: { amount: 2 } },
});
if (conflict.error?.code !== "version_mismatch") throw new Error("A 412 was to come.");
const currentEtag: string | null = conflict.error.current_etag;
console.log(
  `draft without a title; the version stays ${currentEtag === etag ? "the same" : currentEtag}`,
);

// Reads the definition, edits it and sends it back.
const definition = await getPurchaseFormDefinition();
if (!definition.data) throw new Error(definition.error?.detail);
const updated = await putPurchaseFormDefinition({
  body: { ...definition.data, description: "Bought by hey-api" },
});
console.log(`defined: ${updated.data?.description}`);

// A reference by a unique value, the referenced record, and the revenue by month and customer.
const ordered = await createOrdersRecord({
  body: {
    data: {
      customer: "By hey-api",
      account: { email: "yamada@example.com" },
      ordered_on: "2026-03-31",
      lines: [{ sku: "H-1", product: { sku: "A-1" }, qty: 3, price: 1.1 }],
    },
  },
});
if (!ordered.data) throw new Error(ordered.error?.detail);
const account: string | null = ordered.data.data.account;
const customer = { field: "customer", op: "eq", value: "By hey-api" } as const;
const expanded = await searchOrdersRecords({
  body: { conditions: [customer], expand: ["account", "lines.product"] },
});
const names = Object.values(expanded.data?.included ?? {}).map((record) =>
  record.app === "customers" ? record.data.name : record.data.sku,
);
const byMonth: OrdersRecordAggregate = {
  conditions: [customer],
  group_by: [{ field: "ordered_on", unit: "month" }, { field: "account" }],
  metrics: { revenue: { op: "sum", field: "total" } },
};
const revenue = await aggregateOrdersRecords({ body: byMonth });
for (const { key, metrics } of revenue.data?.groups ?? []) {
  const isSame = key.account === account;
  console.log(`${key.ordered_on}: ${metrics["revenue"]}, ${names.join(" and ")}, ${isSame}`);
}

export const typed = {
  // @ts-expect-error A text has no sum.
  summed: { metrics: { x: { op: "sum", field: "customer" } } } satisfies OrdersRecordAggregate,
  // @ts-expect-error The app of an included record has no such field.
  included: ({ data }: CustomersRecord) => data.sku,
  // @ts-expect-error The form has no such field.
  zzz: { status: "draft", data: { zzz: 1 } } satisfies PurchaseSubmissionCreate,
  // @ts-expect-error A submission has what is required.
  nothing: { status: "submitted", data: {} } satisfies PurchaseSubmissionCreate,
  // @ts-expect-error A number is not looked for within.
  within: { field: "amount", op: "contains", value: "1" } satisfies PurchaseSubmissionCondition,
  // @ts-expect-error A number is compared with a number.
  text: { field: "amount", op: "gt", value: "1" } satisfies PurchaseSubmissionCondition,
};
