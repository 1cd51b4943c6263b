import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import { type Client, everyItem, type Json } from "../support/client";
import { dataDb, dataHandle } from "../support/databases";
import { client, makeForm } from "../support/service";
import { aggregated } from "./model";

const options = (...values: string[]) => values.map((value) => ({ value }));
const fields = [
  { key: "team", type: "select", options: options("a", "b", "é", "🎉", "\u{ffff}") },
  { key: "tags", type: "multi_select", options: options("x", "y", "z") },
  { key: "marks", type: "multi_select", options: options("1", "2") },
  { key: "name", type: "text" },
  { key: "mail", type: "email" },
  { key: "note", type: "multiline_text" },
  { key: "amount", type: "number", decimals: 2 },
  { key: "pieces", type: "number", integer: true },
  { key: "weight", type: "number" },
  { key: "done", type: "boolean" },
  { key: "day", type: "date" },
  { key: "at", type: "datetime" },
  { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
  { key: "share", type: "computed", formula: "weight / 7.0", result: "number" },
  { key: "tiny", type: "computed", formula: "amount * 1e-300", result: "number" },
  { key: "label", type: "computed", formula: 'concat(team, "/", name)', result: "text" },
  { key: "next", type: "computed", formula: "add_days(day, 1)", result: "date" },
];
const types = {
  day: "date",
  next: "date",
  at: "datetime",
  $created_at: "datetime",
  $updated_at: "datetime",
  lines: { qty: "number" },
};

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 });
const amounts = fc.integer({ min: -1e7, max: 1e7 }).map((cents) => cents / 100);
const doubles = fc
  .double({
    noNaN: true,
    noDefaultInfinity: true,
    min: Number.MIN_SAFE_INTEGER,
    max: Number.MAX_SAFE_INTEGER,
  })
  .map((value) => (Object.is(value, -0) ? 0 : value));
const daysFrom = (first: string, count: number) =>
  fc
    .integer({ min: 0, max: count })
    .map((days) => new Date(Date.parse(first) + days * 864e5).toISOString().slice(0, 10));
/** Around changes of clocks, in any year, and with fractions of a second. */
const instants = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("2026-03-08", "2026-03-29", "2026-10-25", "2011-12-30", "2026-04-05"),
      fc.integer({ min: -3000, max: 3000 }),
    )
    .map(([day, minutes]) => new Date(Date.parse(day) + minutes * 60_000).toISOString()),
  fc
    .integer({ min: Date.UTC(1700, 0, 1), max: Date.UTC(9999, 11, 29) })
    .map((time) => new Date(time).toISOString()),
  fc.integer({ min: 0, max: 999_999_999 }).map((nanos) => `2026-01-01T00:00:00.${nanos}Z`),
);
const document = fc.record({
  team: maybe(fc.constantFrom("a", "b", "é", "🎉", "\u{ffff}")),
  tags: fc.subarray(["x", "y", "z"]),
  marks: fc.subarray(["1", "2"]),
  name: maybe(fc.constantFrom("A", "a", "ä", "Ä b", "00123", "123")),
  mail: maybe(fc.constantFrom("a@example.com", "b@example.com")),
  note: maybe(fc.constantFrom("n", "N")),
  amount: maybe(fc.oneof(amounts, fc.constantFrom(0.1, 0.2, -0.3, 9_999_999_999.99))),
  pieces: maybe(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.maxSafeInteger())),
  weight: maybe(
    fc.oneof(fc.constantFrom(0.1, 0.2, 1e-7, 5e-324, 123_456_789.123_456), amounts, doubles),
  ),
  done: maybe(fc.boolean()),
  day: maybe(fc.oneof(daysFrom("2024-12-20", 800), daysFrom("0001-01-01", 3_000_000))),
  at: maybe(instants),
  lines: fc.array(fc.record({ qty: fc.integer({ min: 1, max: 3 }) }), { maxLength: 2 }),
});

const zones = [
  "UTC",
  "Asia/Tokyo",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Pacific/Apia",
  "America/St_Johns",
  "Asia/Kathmandu",
];
const unit = fc.constantFrom("day", "week", "month", "quarter", "year");
const plainKey = fc
  .constantFrom("team", "tags", "marks", "name", "mail", "done", "label", "$status", "$created_by")
  .map((field): Json => ({ field }));
const dayKey = fc.record({ field: fc.constantFrom("day", "next"), unit });
const timeKey = fc.record(
  {
    field: fc.constantFrom("at", "$created_at", "$updated_at"),
    unit,
    time_zone: fc.constantFrom(...zones),
  },
  { requiredKeys: ["field", "unit"] },
);
const groupBy = fc.uniqueArray(fc.oneof(plainKey, plainKey, dayKey, timeKey), {
  maxLength: 2,
  selector: ({ field }) => field,
});

const numbers = ["amount", "pieces", "weight", "share", "tiny"];
const times = ["day", "next", "at", "$created_at", "$updated_at"];
const others = ["team", "tags", "marks", "name", "note", "done", "$status", "$id", "$created_by"];
const metric: fc.Arbitrary<Json> = fc.oneof(
  fc.constant({ op: "count" }),
  fc.record({ op: fc.constantFrom("sum", "avg"), field: fc.constantFrom(...numbers) }),
  fc.record({ op: fc.constantFrom("min", "max"), field: fc.constantFrom(...numbers, ...times) }),
  fc.record({
    op: fc.constantFrom("count", "count_distinct"),
    field: fc.constantFrom(...numbers, ...times, ...others),
  }),
  fc.constant({ op: "count", field: "lines" }),
);
const condition: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    { field: "team", op: "eq", value: "a" },
    { field: "team", op: "in", value: ["b", "é"] },
    { field: "tags", op: "has_any", value: ["x", "y"] },
    { field: "name", op: "contains", value: "a" },
    { field: "$status", op: "eq", value: "draft" },
    { field: "done", op: "is_empty", value: true },
    { not: { field: "team", op: "eq", value: "b" } },
    { field: "lines", op: "any", value: [{ field: "qty", op: "gte", value: 2 }] },
    { field: "$created_at", op: "gte", value: "2026-03-20T00:00:00Z" },
    { field: "at", op: "lt", value: "2026-06-01T00:00:00Z" },
    { field: "day", op: "between", value: ["2025-01-01", "2026-01-10"] },
  ),
  fc.record({
    field: fc.constantFrom("amount", "weight", "pieces"),
    op: fc.constantFrom("gt", "lte"),
    value: fc.constantFrom(0, 0.1, -100, 5000.5),
  }),
);
/** Often over one field alone, which the index answers. */
const body: fc.Arbitrary<Json> = fc
  .record({
    conditions: fc.array(condition, { maxLength: 2 }),
    group_by: groupBy,
    metrics: fc.array(metric, { minLength: 1, maxLength: 5 }),
    order: fc.array(fc.tuple(fc.nat(4), fc.constantFrom("asc", "desc")), { maxLength: 2 }),
    limit: fc.option(fc.integer({ min: 1, max: 20 })),
    isPlain: fc.boolean(),
  })
  .map(({ conditions, group_by, metrics, order, limit, isPlain }) => ({
    ...(isPlain ? {} : { conditions }),
    ...(isPlain && metrics.length > 2 ? { group_by: group_by.slice(0, 1) } : { group_by }),
    metrics: Object.fromEntries(metrics.map((each, index) => [`m${index}`, each])),
    order_by: order.map(([index, direction]) => ({
      metric: `m${index % metrics.length}`,
      direction,
    })),
    ...(limit === null ? {} : { limit }),
  }));
/** Figures of one field by itself. */
const singleBody: fc.Arbitrary<Json> = fc.oneof(
  fc
    .record({
      field: fc.constantFrom("team", "tags", "name", "done", "$status"),
      metric: fc.option(fc.constantFrom("items", "values", "kinds")),
      direction: fc.constantFrom("asc", "desc"),
      limit: fc.option(fc.integer({ min: 1, max: 4 })),
    })
    .map(({ field, metric: ordering, direction, limit }) => ({
      group_by: [{ field }],
      metrics: {
        items: { op: "count" },
        values: { op: "count", field },
        kinds: { op: "count_distinct", field },
      },
      ...(ordering === null ? {} : { order_by: [{ metric: ordering, direction }] }),
      ...(limit === null ? {} : { limit }),
    })),
  fc
    .record({ field: fc.constantFrom(...numbers), low: fc.option(amounts), isUp: fc.boolean() })
    .map(({ field, low, isUp }) => ({
      metrics: {
        items: { op: "count" },
        sum: { op: "sum", field },
        mean: { op: "avg", field },
        low: { op: "min", field },
        kinds: { op: "count_distinct", field },
      },
      ...(low === null ? {} : { conditions: [{ field, op: isUp ? "gte" : "lt", value: low }] }),
    })),
  timeKey.map((key) => ({
    group_by: [key],
    metrics: { items: { op: "count" }, last: { op: "max", field: key.field } },
  })),
);

const itemCount = 60;
const requestsPerSet = 100;
const requests = Number((env as unknown as { AGGREGATES: string }).AGGREGATES);

/** Creates submissions, some of them drafts, at times over three years. */
async function prepare(integrator: Client, seed: number) {
  const timeZone = zones[seed % zones.length] ?? "UTC";
  const form = await makeForm(integrator, fields, { time_zone: timeZone });
  const path = `/forms/${form}/submissions`;
  const operations = fc.sample(document, { numRuns: itemCount, seed }).map((data, index) => ({
    op: "create",
    data,
    status: index % 4 === 0 ? "draft" : "submitted",
  }));
  const created = await integrator.post(`${path}/batch`, { operations });
  if (created.status !== 200) throw new Error(created.text);
  const current = await findCollection(dataHandle, "form", form);
  const id = current?.collection.id ?? 0;
  const spread = Date.parse("2024-12-25T12:34:56.789Z");
  await dataDb
    .prepare(
      "update item set created_at = ?1 + (number % 4294967296) * 86400000 * 16 where collection_id = ?2",
    )
    .bind(spread, id)
    .run();
  return { path, timeZone, items: await everyItem(integrator, path) };
}

it(
  "returns the figures that the model computes from the documents",
  { timeout: 3_600_000 },
  async () => {
    const integrator = await client();
    for (let seed = 1; seed <= requests / requestsPerSet; seed += 1) {
      const { path, timeZone, items } = await prepare(integrator, seed);
      await fc.assert(
        fc.asyncProperty(fc.oneof(body, body, singleBody), async (aggregate) => {
          const answer = await integrator.post(`${path}/aggregate`, aggregate);
          const expected = aggregated(items, aggregate, types, timeZone);
          expect([answer.status, answer.body]).toEqual([200, expected]);
        }),
        { numRuns: requestsPerSet, seed },
      );
    }
  },
);
