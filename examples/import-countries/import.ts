import { isDeepStrictEqual, parseArgs } from "node:util";
import { EdgeForms } from "edge-forms-client";
import { countries, definition } from "./countries.ts";

/**
 * Imports every country into an app. You can stop and rerun it at any time: the unique field `code` identifies
 * existing records, and unchanged records stay unchanged.
 *
 *   EDGE_FORMS_TOKEN=efp_… npm run -s example:import-countries -- --url http://127.0.0.1:8787
 */

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    app: { type: "string", default: "countries" },
  },
});
const token = process.env["EDGE_FORMS_TOKEN"];
if (!token) throw new Error("Set EDGE_FORMS_TOKEN to a personal token or an access token.");
const { url, app } = values;
const started = Date.now();

const client = new EdgeForms({ url, token });
await client.request("PUT", `/apps/${app}/schema`, { body: definition });
const records = client.records(app);
const results = await records.batch(
  countries.map((data) => ({ op: "upsert", by: "code", data }) as const),
);
const outcomes = results.map(({ outcome }) => outcome);
const counts = (["created", "updated", "unchanged"] as const).map(
  (outcome) => `${outcomes.filter((result) => result === outcome).length} ${outcome}`,
);
console.log(`${countries.length} countries: ${counts.join(", ")}`);

const stored = await records.list().toArray();
const byCode = new Map(stored.map(({ data }) => [data["code"], data]));
const different = countries.filter(
  (country) => !isDeepStrictEqual(byCode.get(country.code), country),
);
const receipts = new Set(stored.map(({ receipt_number: receipt }) => receipt));
console.log(
  `${stored.length} records with ${receipts.size} receipt numbers; ${different.length} differ from the source.`,
);
console.log(`${((Date.now() - started) / 1000).toFixed(1)} s`);
if (different.length > 0 || stored.length !== countries.length) {
  console.error("Not the same:", different.map(({ code }) => code).join(", "));
  process.exitCode = 1;
}
