import { isDeepStrictEqual, parseArgs } from "node:util";
import { countries, definition, type Country } from "./countries.ts";

/**
 * Loads every country into an app through the public API. It may be stopped at any moment and run again: what is
 * there is not sent, and what was being sent carries the same Idempotency-Key.
 *
 *   EDGE_FORMS_TOKEN=efp_… npm run example:import-countries -- --url http://127.0.0.1:8787
 */

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    app: { type: "string", default: "countries" },
  },
});
const token = process.env["EDGE_FORMS_TOKEN"];
if (!token) throw new Error("Set EDGE_FORMS_TOKEN to a personal token or an access token.");
const root = `${values.url}/api/v1`;
const records = `${root}/apps/${values.app}/records`;
const started = Date.now();
let waited = 0;

await send("PUT", `${root}/apps/${values.app}/schema`, definition);
const present = new Set((await everyRecord()).map(({ data }) => data.code));
const missing = countries.filter(({ code }) => !present.has(code));
console.log(
  `${countries.length} countries, ${present.size} there already, ${missing.length} to send.`,
);

for (const [index, country] of missing.entries()) {
  await send("POST", records, { data: country }, { "Idempotency-Key": `country-${country.code}` });
  const done = index + 1;
  if (done % 10 === 0 || done === missing.length) {
    console.log(`${done} of ${missing.length} sent, ${seconds(Date.now() - started)} s`);
  }
}
compare(await everyRecord());

interface RecordDocument {
  receipt_number: string;
  data: Country;
}

/** Every record of the app, page after page through links.next. */
async function everyRecord(): Promise<RecordDocument[]> {
  const found: RecordDocument[] = [];
  let next: string | null = `${records}?limit=200`;
  while (next !== null) {
    const page: { items: RecordDocument[]; links: { next: string | null } } = await send(
      "GET",
      next,
    );
    found.push(...page.items);
    next = page.links.next;
  }
  return found;
}

/** Sends until it is answered: waits when told to, and sends again when nothing came back. */
async function send<Answer>(
  method: string,
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(url, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((error: unknown) => {
      if (tries >= 5) throw error;
      return undefined;
    });
    if (answer?.ok) return (await answer.json()) as Answer;
    if (answer && answer.status !== 429 && answer.status !== 503) {
      throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
    }
    const pause = 1000 * Number(answer?.headers.get("Retry-After") ?? 1);
    waited += pause;
    console.log(`Told to wait for ${seconds(pause)} s.`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function compare(stored: RecordDocument[]): void {
  const byCode = new Map(stored.map((record) => [record.data.code, record.data]));
  const different = countries.filter(({ code, ...rest }) => {
    return !isDeepStrictEqual(byCode.get(code), { code, ...rest });
  });
  const receipts = new Set(stored.map((record) => record.receipt_number));
  console.log(
    `${stored.length} records with ${receipts.size} receipt numbers; ${different.length} differ from the source.`,
  );
  console.log(`${seconds(Date.now() - started)} s in all, ${seconds(waited)} s of them waiting.`);
  if (different.length === 0 && stored.length === countries.length) return;
  console.error("Not the same:", different.map(({ code }) => code).join(", "));
  process.exitCode = 1;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
