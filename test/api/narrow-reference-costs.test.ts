import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { client, makeApp } from "../support/service";

/** What the service examines of the records to which a write through a view refers, together in one request. */

let owner: Client;
let records: string;
let links: string;
let partner: Client;
let ids: string[];

/** Long texts that no record has. Examining a record of 6,000 letters costs a twentieth of what one request may cost. */
const conditions = Array.from({ length: 49 }, (_, index) => ({
  not: { field: "name", op: "contains", value: `${index}`.padEnd(1000, "t") },
}));

beforeAll(async () => {
  owner = await client();
  const text = { key: "text", type: "text", max_length: 100_000, searchable: false };
  const name = { key: "name", type: "text" };
  const target = await makeApp(owner, [name, text], {
    views: [{ key: "v", name: "V", conditions }],
  });
  records = `/apps/${target}/records`;
  const link = { key: "link", type: "reference", app: target };
  const lines = { key: "lines", type: "line_items", fields: [{ ...link, key: "row_link" }] };
  const referring = await makeApp(owner, [link, lines]);
  links = `/apps/${referring}/records`;
  const permissions = ["records:read", "records:write"];
  partner = await client({ permissions, resources: [`app:${referring}`, `app:${target}/v`] });
  const operations = Array.from({ length: 25 }, () => ({
    op: "create",
    data: { text: "x".repeat(6000) },
  }));
  const { results } = (await owner.post(`${records}/batch`, { operations })).body;
  ids = results.map(({ id }: Json) => id);
});

const refer = (id: string) => ({ op: "create", data: { link: id } });

describe("A write that refers to records of a view", () => {
  it("stores references to a large record, however often it names the record", async () => {
    const operations = Array.from({ length: 100 }, () => refer(ids[0] ?? ""));
    const answer = await partner.post(`${links}/batch`, { operations });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
  });

  it("returns 422 and stores nothing if examining all records costs too much", async () => {
    const count = async () =>
      (await dataDb.prepare("select count(*) as n from item").first<{ n: number }>())?.n;
    const before = await count();
    const batch = await partner.post(`${links}/batch`, { operations: ids.map(refer) });
    const rows = ids.map((id) => ({ row_link: id }));
    const single = await partner.post(links, { data: { lines: rows } });
    for (const { status, body } of [batch, single])
      expect([status, body.errors.map(({ code }: Json) => code)]).toEqual([422, ["too_complex"]]);
    expect(await count()).toBe(before);
    const few = await partner.post(`${links}/batch`, { operations: ids.slice(0, 2).map(refer) });
    expect([few.status, few.text]).toEqual([200, few.text]);
  });

  it("stores any number of references if the caller sees the whole app", async () => {
    const operations = ids.map(refer);
    expect((await owner.post(`${links}/batch`, { operations })).status).toBe(200);
  });
});
