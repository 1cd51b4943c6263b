import { beforeAll, describe, expect, it } from "vitest";
import { speak } from "../mcp/mcp-client";
import { host, type Answer, type Client, type Json } from "../support/client";
import { copyItem } from "../support/copies";
import { counted } from "../support/counting";
import { dataDb } from "../support/databases";
import { client, makeApp } from "../support/service";

/** Requests that name records outside the view, which may be large, and requests that name missing records. */

const hiddenTexts = ["a", "b", "c"];
const long = { type: "multiline_text", max_length: 100_000, searchable: false };
const fields = [
  { key: "title", type: "text" },
  { key: "n", type: "number" },
  { key: "team", type: "text", max_length: 200 },
  ...["note", ...hiddenTexts].map((key) => ({ key, ...long })),
];
const ours = { field: "team", op: "eq", value: "ours" };
const viewOf = (key: string, conditionCount: number) => {
  const contains = Array.from({ length: conditionCount }, (_, index) => ({
    field: "team",
    op: "contains",
    value: `x${index}`.padEnd(150, "x"),
  }));
  const conditions = [{ any: [...contains, ours] }];
  return { key, name: key, conditions, fields: ["title", "n", "team", "note"] };
};
/** No record is too large for the first view. Records of 900 KB are too large for the others. */
const views = [viewOf("cheap", 0), viewOf("costly", 12), viewOf("costliest", 47)];
const maxNames = 100;
const large = "語".repeat(11_000);

let owner: Client;
let app: string;
let items: string;
let own: Json[];
const partners: [view: string, partner: Client][] = [];

async function create(data: object): Promise<Json> {
  const answer = await owner.post(items, { data });
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
  return answer.body;
}

type Names = Record<"$id" | "$receipt_number", string[]>;

/** Creates a hidden record with this text in several fields, and 99 copies of it. */
async function createHidden(text: string): Promise<Names> {
  const hidden = await create({ title: "t", n: 1, team: "theirs" });
  for (const key of hiddenTexts) {
    const answer = await owner.patch(`${items}/${hidden.id}`, { data: { [key]: text } });
    expect(answer.status).toBe(200);
  }
  return copyNamed(hidden);
}

/** Copies a record 99 times, with valid names. Returns all names. */
async function copyNamed({ id, receipt_number: receipt }: Json): Promise<Names> {
  await copyItem(id, maxNames - 1);
  const [idStart, receiptStart] = [id.slice(0, -3), receipt.replace(/\d+$/, "")];
  const first = Number(/\d+$/.exec(receipt)?.[0]);
  const copies = Array.from({ length: maxNames - 1 }, (_, index) => ({
    copy: `${id}Z${index + 1}`,
    id: idStart + String(index).padStart(3, "0"),
    receipt:
      receiptStart + String(first + index + 1).padStart(receipt.length - receiptStart.length, "0"),
  }));
  await dataDb
    .prepare(
      `update item set id = e.value ->> 'id', receipt_number = e.value ->> 'receipt'
        from json_each(?) e where item.id = e.value ->> 'copy'`,
    )
    .bind(JSON.stringify(copies))
    .run();
  return {
    $id: [id, ...copies.map((copy) => copy.id)],
    $receipt_number: [receipt, ...copies.map((copy) => copy.receipt)],
  };
}

beforeAll(async () => {
  owner = await client();
  app = await makeApp(owner, fields, { views });
  items = `/apps/${app}/records`;
  own = [
    await create({ title: "u", n: 2, team: "ours" }),
    await create({ title: "v", team: "ours", note: "語".repeat(5000) }),
    // Both parts are nearly too large for the last view.
    await create({ title: "w", n: 1, team: "ours", note: large, a: large }),
  ];
  for (const { key } of views) {
    const permissions = ["records:read", "records:write"];
    partners.push([key, await client({ permissions, resources: [`app:${app}/${key}`] })]);
  }
});

const ownNames = (field: keyof Names): string[] =>
  own.map((item) => item[field === "$id" ? "id" : "receipt_number"]);

/** The requests, each of which names these records. */
function requestsOf(partner: Client, field: keyof Names, names: string[]): Promise<Answer>[] {
  const conditions = [{ field, op: "in", value: names }];
  const search = (body: object, headers = {}) =>
    partner.post(`${items}/search`, { conditions, ...body }, headers);
  const metrics = { sum: { op: "sum", field: "n" }, count: { op: "count" } };
  const operations = names.map((id) => ({ op: "update", id, data: { title: "changed" } }));
  const call = { name: "search_records", arguments: { app, conditions } };
  return [
    search({}),
    search({ sort: [{ field: "n" }] }),
    search({ sort: [{ field: "n" }, { field: "title" }] }),
    search({}, { Accept: "text/csv" }),
    partner.post(`${items}/aggregate`, { conditions, metrics }),
    partner.post(`${items}/batch`, { operations }),
    speak(partner, "tools/call", call, {}, `${host}/mcp`),
  ];
}

/** The response without what differs between equal requests. */
const comparable = ({ status, text }: Answer) =>
  [status, text.replaceAll(/"request_id":"[^"]*"|"id":\d+|cursor=[^"&]*/g, "")] as const;

describe.each([
  ["30 KB", "x".repeat(10_000)],
  ["900 KB", "語".repeat(100_000)],
])("A request that names hidden records of %s", (_, text) => {
  let hidden: Names;
  beforeAll(async () => {
    hidden = await createHidden(text);
  });

  it.each([
    ["$id", [1, 10, maxNames]],
    ["$receipt_number", [10]],
  ] as const)(
    "by %s gets the same response as for missing ones, however many it names",
    async (field, counts) => {
      const missing = hidden[field].map((name) => name.replace(/(\d)(\d+)$/, "9$2"));
      for (const [view, partner] of partners)
        for (const count of counts) {
          const ask = (names: string[]) =>
            Promise.all(
              [[], ownNames(field)].flatMap((before) =>
                requestsOf(partner, field, [...before, ...names].slice(0, maxNames)),
              ),
            );
          const answers = await ask(hidden[field].slice(0, count));
          const expected = await ask(missing.slice(0, count));
          expect({ view, count, answers: answers.map(comparable) }).toEqual({
            view,
            count,
            answers: expected.map(comparable),
          });
        }
    },
    60_000,
  );
});

it("A request that names 100 hidden records reads few rows, even if the view searches all of their rows", async () => {
  const options = Array.from({ length: 40 }, (_, index) => ({ value: `o${index}` }));
  const columns = [{ key: "tags", type: "multi_select", options }];
  const inRows = options.slice(0, 24).map(({ value }) => ({
    field: "lines",
    op: "any",
    value: [{ field: "tags", op: "has_any", value: [value] }],
  }));
  const conditions = [{ any: [...inRows, ours] }];
  const listed = [...fields.slice(0, 3), { key: "lines", type: "line_items", fields: columns }];
  const searched = { key: "rows", name: "Rows", conditions, fields: ["title", "n", "team"] };
  app = await makeApp(owner, listed, { views: [searched] });
  items = `/apps/${app}/records`;
  const tags = options.slice(30, 39).map(({ value }) => value);
  // A few more rows would be too many for the view.
  const lines = Array.from({ length: 100 }, () => ({ tags }));
  const hidden = await copyNamed(await create({ title: "t", n: 1, team: "theirs", lines }));
  const permissions = ["records:read", "records:write"];
  const { fetch, counts, reset } = counted();
  const partner = (await client({ permissions, resources: [`app:${app}/rows`] })).through(fetch);
  // The first request also loads the definition.
  await partner.get(items);
  reset();
  const requests = requestsOf(partner, "$id", hidden.$id);
  for (const { status } of await Promise.all(requests)) expect([200, 404]).toContain(status);
  expect(counts.rowsRead / requests.length).toBeLessThan(2_500_000);
}, 60_000);

it.each([3, 1000])(
  "A search that names a record through a view of 48 conditions takes 46 of its own, each with %i letters, in every order",
  async (length) => {
    const contains = (count: number, first: number) =>
      Array.from({ length: count }, (_, index) => ({
        field: "title",
        op: "contains",
        value: `é${first + index}`.padEnd(length, "é"),
      }));
    const hiding = [{ not: { any: contains(48, 0) } }];
    const others = { not: { any: contains(46, 100) } };
    const whole = { key: "w", name: "W", conditions: hiding };
    app = await makeApp(owner, fields.slice(0, 3), { views: [whole] });
    items = `/apps/${app}/records`;
    const permissions = ["records:read"];
    const partner = await client({ permissions, resources: [`app:${app}/w`] });
    const { id, created_at: createdAt } = await create({ title: "t", n: 1 });
    const sorts = [[], [{ field: "n" }], [{ field: "n" }, { field: "title" }]];
    for (const named of [
      { field: "$id", op: "in", value: [id] },
      { field: "$created_at", op: "in", value: [createdAt] },
    ])
      for (const sort of sorts) {
        const search = { conditions: [named, others], sort };
        const { status, body } = await partner.post(`${items}/search`, search);
        expect([status, body.items?.length]).toEqual([200, 1]);
      }
  },
);
