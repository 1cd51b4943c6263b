import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { fieldNumber, systemFieldIds } from "../../src/domain/data/search-entries";
import { findCollection } from "../../src/store/collections";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";

const scale = Number((env as unknown as { SCALE: string }).SCALE);
const perStep = 10_000;

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
const fields = [
  text("name"),
  text("department"),
  { key: "amount", type: "number" },
  { key: "due", type: "date" },
  text("code"),
  { key: "done", type: "boolean" },
  text("city"),
  { key: "score", type: "number" },
  { key: "lines", type: "line_items", fields: [text("sku"), { key: "qty", type: "number" }] },
  text("note", { searchable: false }),
];

/** Values that look random but are the same in each run: a multiplicative hash of the place, for each field. */
const hash = (prime: number, below: number) => `((p * ${prime} % 1000003) * 7919 % ${below})`;
const columns: Record<string, string> = {
  name: `'Person ' || ${hash(104_729, 50_000)}`,
  department: `'department ' || ${hash(15_485_863, 10)}`,
  amount: hash(32_452_843, 1_000_000),
  due: `date('2020-01-01', '+' || ${hash(49_979_687, 3000)} || ' days') || 'Z'`,
  code: `printf('%08d', p)`,
  done: `${hash(67_867_967, 2)} = 1`,
  city: `'City ' || ${hash(86_028_121, 500)}`,
  score: hash(122_949_823, 1000),
  sku: `'SKU-' || ${hash(141_650_939, 1000)}`,
  qty: hash(160_481_183, 50),
};

/** Fills a form with `scale` submissions by SQL, as creates would have stored them. */
async function fill(form: string): Promise<void> {
  const now = await findCollection(env.DB, "form", form);
  if (!now) throw new Error("The form is gone.");
  const { id, definition } = now.collection;
  const all = definition.fields.fields.flatMap((field) =>
    field.type === "line_items" ? [field, ...field.fields] : [field],
  );
  const idOf = (key: string) => all.find((field) => field.key === key)?.id ?? 0;
  const scalars = Object.keys(columns).filter((key) => key !== "sku" && key !== "qty");
  const pairs = scalars.map((key) => {
    const value = key === "done" ? `json(iif(${columns[key]}, 'true', 'false'))` : columns[key];
    return `'${idOf(key)}', ${value}`;
  });
  const line = `json_object('${idOf("sku")}', ${columns["sku"]}, '${idOf("qty")}', ${columns["qty"]})`;
  const data = `json_object(${pairs.join(", ")}, '${idOf("lines")}', json_array(${line}))`;
  const number = `${id} * 4294967296 + p`;
  const start = Date.parse("2026-01-01T00:00:00Z");
  const entry = (field: number, value: string, folded: string) =>
    `insert into search_entry select ${fieldNumber(id, field)}, ${value}, ${number}, ${folded} from n`;
  const entries = Object.entries(columns).map(([key, value]) => {
    const isText = value.includes("'") && key !== "due" && key !== "code";
    const kept = key === "due" ? `substr(${value}, 1, 10)` : value;
    return entry(idOf(key), kept, isText ? `nullif(lower(${value}), ${value})` : "null");
  });
  const system = [
    entry(systemFieldIds.id, "'sub_' || printf('%026d', p)", "null"),
    entry(systemFieldIds.status, "'submitted'", "null"),
    entry(systemFieldIds.createdAt, `${start} + p`, "null"),
    entry(systemFieldIds.updatedAt, `${start} + p`, "null"),
  ];
  for (let from = 1; from <= scale; from += perStep) {
    const to = Math.min(from + perStep - 1, scale);
    const places = `with recursive n(p) as (select ${from} union all select p + 1 from n where p < ${to})`;
    const item = `insert into item select ${number}, 'sub_' || printf('%026d', p), ${id}, null, 'submitted', 1,
      ${start} + p, ${start} + p, ${data} from n`;
    const statements = [item, ...entries, ...system].map((sql) =>
      env.DB.prepare(sql.replace(/^(insert into \w+) /, `$1 ${places} `)),
    );
    await env.DB.batch(statements);
  }
  await env.DB.prepare(
    "update tally set last_place = ?, live = ?, last_created_at = ? where collection_id = ?",
  )
    .bind(scale, scale, start + scale, id)
    .run();
}

describe(`What a search reads, at ${scale} submissions of 10 fields`, () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  let path: string;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
    const form = await makeForm(integrator, fields);
    await fill(form);
    path = `/forms/${form}/submissions/search`;
  }, 600_000);

  const eq = { field: "department", op: "eq", value: "department 3" };
  const tenth = { field: "amount", op: "between", value: [400_000, 500_000] };
  const by = (field: string, direction = "asc") => [{ field, direction }];

  /** Rows read for the pages that it takes to have `wanted` items, at most `pages` of them. */
  async function read(
    body: Json,
    from = path,
  ): Promise<{ rows: number; items: number; next: string }> {
    reset();
    const answer = await integrator.post(from, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    expect(counts.object).toBe(1);
    expect(counts.d1).toBeLessThanOrEqual(2);
    return { rows: counts.rowsRead, items: answer.body.items.length, next: answer.body.links.next };
  }

  const limits: [name: string, body: Json, most: number, fills: boolean][] = [
    ["no conditions", {}, 53, true],
    ["equality", { conditions: [eq] }, 150, true],
    [
      "two equalities",
      { conditions: [eq, { field: "city", op: "eq", value: "City 33" }] },
      3500,
      false,
    ],
    ["sorted by a field", { sort: by("amount") }, 350, true],
    ["sorted by a field, descending", { sort: by("amount", "desc") }, 500, true],
    [
      "a range sorted by that field, and an equality",
      { conditions: [tenth, eq], sort: by("amount") },
      1500,
      true,
    ],
    [
      "a range and an equality, sorted by a third field",
      { conditions: [tenth, eq], sort: by("due") },
      12_000,
      false,
    ],
    ["contains", { conditions: [{ field: "name", op: "contains", value: "777" }] }, 12_000, false],
    [
      "a condition on a row of line items",
      {
        conditions: [
          {
            field: "lines",
            op: "any",
            value: [
              { field: "sku", op: "eq", value: "SKU-7" },
              { field: "qty", op: "gt", value: 10 },
            ],
          },
        ],
      },
      12_000,
      false,
    ],
    [
      "a negation",
      { conditions: [{ not: eq }, { field: "score", op: "ne", value: 5 }] },
      12_000,
      true,
    ],
    [
      "no match at all",
      { conditions: [{ field: "name", op: "eq", value: "Nobody" }] },
      12_000,
      false,
    ],
    [
      "no match by contains",
      { conditions: [{ field: "name", op: "contains", value: "nobody" }] },
      12_000,
      false,
    ],
    [
      "no match, sorted",
      {
        conditions: [{ field: "name", op: "contains", value: "nobody" }],
        sort: by("score", "desc"),
      },
      12_000,
      false,
    ],
    [
      "empty values",
      { conditions: [{ field: "city", op: "is_empty", value: true }] },
      12_000,
      false,
    ],
    ["newest first by a system field", { sort: by("$updated_at", "desc") }, 500, true],
  ];

  it.each(limits)("%s", async (name, body, most, fills) => {
    const first = await read(body);
    expect(first.rows).toBeLessThanOrEqual(most);
    if (fills) expect(first.items).toBe(50);
    if (!first.next) return;
    const second = await read(body, first.next);
    expect(second.rows).toBeLessThanOrEqual(most);
  });

  it("page 100 reads what page 1 reads", async () => {
    for (const body of [{}, { conditions: [eq] }, { sort: by("amount") }]) {
      const first = await read({ ...body, limit: 20 });
      let { next } = first;
      for (let page = 2; page < 100; page += 1)
        ({ next } = await read({ ...body, limit: 20 }, next));
      const late = await read({ ...body, limit: 20 }, next);
      expect(Math.abs(late.rows - first.rows)).toBeLessThanOrEqual(2);
    }
  });

  it("what matches nowhere ends after as many pages as the budget makes of the collection", async () => {
    const body = { conditions: [{ field: "name", op: "contains", value: "nobody" }] };
    let pages = 0;
    for (let next: string | null = path; next; pages += 1) ({ next } = await read(body, next));
    expect(pages).toBeLessThanOrEqual(Math.ceil(scale / 5000) + 1);
  });
});
