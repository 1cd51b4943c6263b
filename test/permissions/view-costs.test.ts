import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Client } from "../support/client";
import { counted } from "../support/counting";
import { dataDb, homeDb } from "../support/databases";
import { admin, client, issue, makeApp, makeForm } from "../support/service";

/** Each write decides which views its item matches. However many there are, one request must not cost much more. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const texts = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    field: "text",
    op: "contains",
    value: `zq${first + index}`,
  }));

const byCaller = { field: "$created_by", op: "eq", value: "$me" };

/** Views of which each searches the text for other words. */
const textViews = (count: number, words: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: `v${index}`,
    name: `V ${index}`,
    conditions: [{ any: [...texts(index * words, words), byCaller] }],
  }));

const fields = [
  { key: "n", type: "number" },
  { key: "text", type: "multiline_text", max_length: 100_000 },
];

async function formWith(views: object[]) {
  const form = await makeForm(owner, fields, { views });
  return { form, items: `/forms/${form}/submissions` };
}

/** Counts the searches for the words of `textViews` and the normalizations of texts that contain "語". */
async function countWork(run: () => Promise<unknown>) {
  const includes = vi.spyOn(String.prototype, "includes");
  const normalize = vi.spyOn(String.prototype, "normalize");
  try {
    await run();
    const searches = includes.mock.calls.filter(([text]) => /^zq\d/.test(text)).length;
    const folds = normalize.mock.contexts.filter((text) => String(text).startsWith("語")).length;
    return { searches, folds };
  } finally {
    includes.mockRestore();
    normalize.mockRestore();
  }
}

describe("The change of a view", () => {
  it("reads few rows, however many expired or revoked credentials have the view", async () => {
    const view = { key: "v", name: "V", fields: ["n"] };
    const form = await makeForm(owner, fields, { views: [view] });
    const other = (index: number) => `form:none${index}`;
    const resources = [`form:${form}/v`, ...Array.from({ length: 499 }, (_, i) => other(i))];
    const permissions = ["submissions:read"];
    const { id } = await issue({ permissions, resources: resources.slice(0, 1) });
    await homeDb
      .prepare("update credential set resources = ? where id = ?")
      .bind(JSON.stringify(resources), id)
      .run();
    const copy = (prefix: string, end: string) =>
      homeDb
        .prepare(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < 300)
          insert into credential
            (id, version, kind, name, permissions, resources, requests, writes, secrets, member_id,
              created_at, ${end})
          select ? || i || id, 1, kind, name, permissions, resources, requests, writes, secrets,
            member_id, created_at, 1 from n, credential where id = ?`,
        )
        .bind(prefix, id)
        .run();
    const { fetch, counts, reset } = counted();
    const caller = owner.through(fetch);
    const change = async (views: object[]) => {
      reset();
      expect((await caller.patch(`/forms/${form}/schema`, { views })).status).toBe(200);
      return counts.rowsRead;
    };
    const rows = await change([{ ...view, fields: ["text"] }]);
    expect(rows).toBeGreaterThan(500);
    await copy("E", "expires_at");
    await copy("R", "revoked_at");
    expect(await change([{ ...view, fields: ["n", "text"] }])).toBeLessThanOrEqual(rows + 10);
    await admin("POST", `/integrations/${id}/revoke`, {});
    expect(await change([])).toBeLessThan(100);
  });
});

describe("The views of a form", () => {
  it("search a text once for each word, and not at all for an update of another field", async () => {
    const { items } = await formWith(
      [...textViews(5, 4), ...textViews(5, 4)].map((view, index) => ({
        ...view,
        key: `k${index}`,
      })),
    );
    const data = { n: 1, text: "語 ".repeat(100) };
    const { body } = await owner.post(items, { data });
    const other = await client();
    const { searches, folds } = await countWork(async () => {
      const answer = await other.patch(`/submissions/${body.id}`, { data: { n: 2 } });
      expect(answer.status).toBe(200);
    });
    expect(searches).toBeLessThanOrEqual(20);
    // The search index folds the text, too.
    expect(folds).toBeLessThanOrEqual(6);
  });

  it("cost nothing when a form validates a submission", async () => {
    const { form } = await formWith(textViews(10, 4));
    const page = await client({ permissions: ["submissions:create"], resources: [`form:${form}`] });
    const path = `/forms/${form}/submissions/validate`;
    const work = await countWork(async () => {
      const answer = await page.post(path, { data: { text: "語 ".repeat(100) } });
      expect(answer.status).toBe(200);
    });
    expect(work.searches).toBe(0);
  });

  it("limit what a batch may take, with an error that names them, and store nothing of it", async () => {
    const { items } = await formWith(textViews(10, 40));
    const text = "a ".repeat(45_000);
    const create = (count: number) =>
      owner.post(`${items}/batch`, {
        operations: Array.from({ length: count }, () => ({ op: "create", data: { text } })),
      });
    expect((await create(2)).status).toBe(200);
    const answer = await create(10);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("too_complex");
    expect(answer.text).toContain("conditions of the views");
    expect((await owner.get(`${items}?limit=200`)).body.items).toHaveLength(2);
  });

  it("that are too expensive for a stored item let it be read and deleted, and changed once they are simpler", async () => {
    const { form, items } = await formWith([]);
    const { id } = (await owner.post(items, { data: { text: "a ".repeat(45_000) } })).body;
    const item = `/submissions/${id}`;
    const long = (view: number) =>
      Array.from({ length: 40 }, (_, index) => ({
        field: "text",
        op: "contains",
        value: `${view}-${index}-`.padEnd(1000, "z"),
      }));
    const views = (count: number) =>
      Array.from({ length: count }, (_, view) => ({
        key: `v${view}`,
        name: "V",
        conditions: [{ any: long(view) }],
      }));
    const setViews = async (count: number) =>
      (await owner.patch(`/forms/${form}/schema`, { views: views(count) })).status;
    expect(await setViews(2)).toBe(200);
    for (const data of [{ n: 1 }, { text: "short" }]) {
      const answer = await owner.patch(item, { data });
      expect([answer.status, answer.body.errors[0].code]).toEqual([422, "too_complex"]);
    }
    expect((await owner.get(item)).status).toBe(200);
    expect(await setViews(1)).toBe(200);
    expect((await owner.patch(item, { data: { n: 1 } })).status).toBe(200);
    expect(await setViews(2)).toBe(200);
    expect((await owner.delete(item)).status).toBe(204);
  });

  it("let a batch update other fields of long texts", async () => {
    const { items } = await formWith(textViews(10, 40));
    const text = "a ".repeat(25_000);
    const { id } = (await owner.post(items, { data: { text } })).body;
    const operations = Array.from({ length: 20 }, (_, n) => ({ op: "update", id, data: { n } }));
    expect((await owner.post(`${items}/batch`, { operations })).status).toBe(200);
  });

  it("of which each has many conditions on the receipt number accept a record", async () => {
    const views = Array.from({ length: 10 }, (_, index) => ({
      key: `v${index}`,
      name: `V ${index}`,
      conditions: [
        {
          any: Array.from({ length: 48 }, (_x, place) => ({
            field: "$receipt_number",
            op: "in",
            value: Array.from({ length: 10 }, (_y, value) => `O-${index}-${place}-${value}`),
          })),
        },
      ],
    }));
    const app = await makeApp(owner, [{ key: "n", type: "number" }], { views });
    expect((await owner.post(`/apps/${app}/records`, { data: { n: 1 } })).status).toBe(201);
  });

  it("store marks only for callers for which an item matches differently", async () => {
    const views = Array.from({ length: 10 }, (_, index) => ({
      key: `v${index}`,
      name: `V ${index}`,
      conditions: [{ any: [{ field: "n", op: "gt", value: index }, byCaller] }],
    }));
    const { items } = await formWith(views);
    const marksOf = async (n: number) => {
      const { body } = await owner.post(items, { data: { n } });
      const other = await client();
      await other.patch(`/submissions/${body.id}`, { data: { n: n + 1 } });
      const row = await dataDb
        .prepare("select views from change where item_id = ? order by number desc limit 1")
        .bind(body.id)
        .first<{ views: string }>();
      return JSON.parse(row?.views ?? "[]") as string[];
    };
    // Each view has its key. Everybody sees the item before and after, or only its creator does.
    expect(await marksOf(100)).toHaveLength(30);
    expect(await marksOf(-100)).toHaveLength(30);
  });
});
