import { client } from "./.generated/hey-api/client.gen.ts";
import { createSubmission, getSubmission, searchSubmissions } from "./.generated/hey-api/index.ts";

/** What a user of @hey-api/openapi-ts writes: compiled strictly, and run against the server. */

const { URL: url = "", TOKEN: token = "" } = process.env;
client.setConfig({ baseUrl: `${url}/api/v1`, auth: () => token });

const created = await createSubmission({
  headers: { "Idempotency-Key": "hey-api" },
  body: { data: { title: "By hey-api", department: "Office", amount: 1 } },
});
if (!created.data) throw new Error(created.error?.detail);
const read = await getSubmission({ path: { id: created.data.id } });
const title: string | null | undefined = read.data?.data.title;
const found = await searchSubmissions({
  body: { conditions: [{ field: "title", op: "eq", value: "By hey-api" }] },
});
const amounts: (number | null | undefined)[] =
  found.data?.items.map(({ data }) => data.amount) ?? [];
console.log(`${title}: ${amounts.join(", ")}`);

// @ts-expect-error The form has no such field.
await createSubmission({ body: { data: { title: "x", department: "x", amount: 1, zzz: 1 } } });
