import { beforeAll, describe, expect, it } from "vitest";
import type { Answer, Client, Json } from "../support/client";
import { announcement, download, open, pdf, putContent } from "../support/files";
import { client, makeApp, makeForm } from "../support/service";

/** What a stranger with a narrow credential and the source code tries. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const rights = ["submissions:read", "submissions:write", "submissions:delete", "schema:read"];
const longText = { type: "text", max_length: 100_000, searchable: false };
const letters = ["a", "b", "c", "d", "e", "f", "g"];
const lists = Array.from({ length: 30 }, (_, index) => `list${index}`);
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ cell: `r${index}` }));
const list = (key: string) => ({
  key,
  type: "line_items",
  fields: ["cell", "other"].map((column) => ({ key: column, type: "text" })),
});
const fields = [
  { key: "title", type: "text" },
  { key: "team", type: "select", options: [{ value: "ours" }, { value: "theirs" }] },
  { key: "docs", type: "files" },
  ...letters.map((key) => ({ key, ...longText })),
  list("tags"),
  ...["secret", "secret2"].map((key) => ({ key, ...longText })),
  ...lists.map(list),
];
const ours = { field: "team", op: "eq", value: "ours" };
const view = {
  key: "ours",
  name: "Ours",
  conditions: [ours],
  fields: ["title", "team", "docs", "tags", ...letters],
};

interface Attack {
  form: string;
  items: string;
  partner: Client;
}

async function attack(): Promise<Attack> {
  const form = await makeForm(owner, fields, { views: [view] });
  const partner = await client({ permissions: rights, resources: [`form:${form}/ours`] });
  return { form, items: `/forms/${form}/submissions`, partner };
}

const created = async (caller: Client, items: string, data: object): Promise<Json> => {
  const answer = await caller.post(items, { data });
  expect([answer.status, answer.text.slice(0, 500)]).toEqual([201, expect.anything()]);
  return answer.body;
};

const comparable = ({ status, text }: Answer, ...names: string[]) =>
  JSON.stringify([
    status,
    names
      .reduce((rest, name) => rest.replaceAll(name, "ID"), text)
      .replace(/"request_id":"[^"]*"/, ""),
  ]);

describe("A stranger with a narrow credential", () => {
  it("reaches the limit of an item at the same size however large its hidden fields are", async () => {
    const { items, partner } = await attack();
    const large = "語".repeat(100_000);
    const answers = [];
    for (const hidden of [{}, { secret: large, secret2: large }]) {
      const { id } = await created(owner, items, { team: "ours", ...hidden });
      const sizes = [];
      for (const key of letters) {
        const answer = await partner.patch(`/submissions/${id}`, { data: { [key]: large } });
        sizes.push(answer.status === 200 ? 200 : comparable(answer, id));
      }
      answers.push(sizes);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]?.slice(0, 3)).toEqual([200, 200, 200]);
    // What is as large as it was may be written.
    const { id } = await created(owner, items, { team: "ours", a: large, b: large, c: large });
    await owner.patch(`/submissions/${id}`, { data: { d: large } });
    const renamed = await partner.patch(`/submissions/${id}`, { data: { a: "x", title: "t" } });
    expect([renamed.status, renamed.body.code]).toEqual([200, undefined]);
  });

  it("is not told how many values the hidden lists of an item have", async () => {
    const { items, partner } = await attack();
    const { id } = await created(owner, items, { team: "ours" });
    const cells = Array.from({ length: 500 }, (_, index) => ({
      cell: `r${index}`,
      other: `o${index}`,
    }));
    for (let from = 0; from < lists.length; from += 10) {
      const data = Object.fromEntries(lists.slice(from, from + 10).map((key) => [key, cells]));
      const answer = await owner.patch(`/submissions/${id}`, { data });
      expect([from, answer.status]).toEqual([from, from < 20 ? 200 : answer.status]);
    }
    const answer = await partner.patch(`/submissions/${id}`, { data: { tags: rows(500) } });
    expect(answer.text).not.toMatch(/has \d+ values/);
  });

  it("cannot tell whether an item outside still has a file of its own", async () => {
    const { form, items, partner } = await attack();
    const uploaded = async () => {
      const { id } = (
        await partner.post("/files", { ...announcement(`form:${form}`, pdf()), field: "docs" })
      ).body;
      await putContent(partner, id, pdf());
      return id as string;
    };
    const [moved, deleted] = [await uploaded(), await uploaded()];
    const first = await created(partner, items, { team: "ours", docs: [moved] });
    const second = await created(partner, items, { team: "ours", docs: [deleted] });
    await owner.patch(`/submissions/${first.id}`, { data: { team: "theirs" } });
    await owner.delete(`/submissions/${second.id}`);
    const missing = "fil_01KAHV3M4E7XQ2R5T8W9YZB6CD";
    const ask = async (id: string) => {
      const answers = [
        await partner.get(`/files/${id}`),
        await partner.post(`/files/${id}/link`, {}),
        await putContent(partner, id, pdf()),
        await partner.delete(`/files/${id}`),
        await partner.post(items, { data: { team: "ours", docs: [id] } }),
        await partner.post(`${items}/validate`, { data: { team: "ours", docs: [id] } }),
        await partner.post(`${items}/batch`, {
          operations: [{ op: "create", data: { team: "ours", docs: [id] } }],
        }),
      ];
      return answers.map((answer) => comparable(answer, id));
    };
    expect(await ask(moved)).toEqual(await ask(missing));
    expect(await ask(deleted)).toEqual(await ask(missing));
  });

  it("gets nothing more by the link of a file when its view loses the field or the item", async () => {
    const { form, items, partner } = await attack();
    const { id: file } = (
      await partner.post("/files", { ...announcement(`form:${form}`, pdf()), field: "docs" })
    ).body;
    await putContent(partner, file, pdf());
    const item = await created(partner, items, { team: "ours", docs: [file] });
    const { url } = (await partner.post(`/files/${file}/link`, {})).body;
    expect((await open(url)).status).toBe(200);
    await owner.patch(`/submissions/${item.id}`, { data: { team: "theirs" } });
    expect((await open(url)).status).toBe(404);
    await owner.patch(`/submissions/${item.id}`, { data: { team: "ours" } });
    expect((await open(url)).status).toBe(200);
    const hidden = { ...view, fields: ["title", "team"] };
    await owner.patch(`/forms/${form}/schema`, { views: [hidden] });
    expect((await open(url)).status).toBe(404);
    expect((await download(partner, file)).status).toBe(404);
    const again = await partner.post("/files", {
      ...announcement(`form:${form}`, pdf()),
      field: "docs",
    });
    const unknown = await partner.post("/files", {
      ...announcement(`form:${form}`, pdf()),
      field: "dqcs",
    });
    expect(comparable(again, "docs")).toBe(comparable(unknown, "dqcs"));
  });

  it("learns nothing of a hidden item from the length of a cursor", async () => {
    const { items, partner } = await attack();
    const cursors = new Set<number>();
    for (const title of ["b", "b".repeat(40), "b".repeat(200)]) {
      await created(partner, items, { team: "ours", title });
      const search = { sort: [{ field: "title" }], limit: 1 };
      const page = await partner.post(`${items}/search`, search);
      if (page.body.links.next !== null) cursors.add(page.body.links.next.length);
      const last = await partner.post(`${items}/search`, {
        sort: [{ field: "title", direction: "desc" }],
        limit: 1,
      });
      if (last.body.links.next !== null) cursors.add(last.body.links.next.length);
    }
    expect(cursors.size).toBe(1);
  });

  it("gets a batch back that is small without its hidden fields", async () => {
    const { items, partner } = await attack();
    const large = "語".repeat(100_000);
    const ids = [];
    for (let index = 0; index < 5; index += 1) {
      const { id } = await created(owner, items, { team: "ours", secret: large, secret2: large });
      ids.push(id);
    }
    const operations = ids.map((id) => ({ op: "update", id, data: { title: "t" } }));
    const answer = await partner.post(`${items}/batch?return=representation`, { operations });
    expect([answer.status, answer.body.code]).toEqual([200, undefined]);
  });

  it("gets the same answer for items outside and missing ones, however broken the request is", async () => {
    const { items, partner } = await attack();
    const { id: outside } = await created(owner, items, { team: "theirs" });
    const missing = "sub_01KAHV3M4E7XQ2R5T8W9YZB6CD";
    const requests: [string, string, unknown, Record<string, string>][] = [
      ["GET", "?expand=team", undefined, {}],
      ["GET", "?bogus=1", undefined, {}],
      ["GET", "", undefined, { "Cache-Control": "no-cache" }],
      ["PATCH", "", "{broken", {}],
      ["PATCH", "", "[]", {}],
      ["PATCH", "?bogus=1", { data: {} }, {}],
      ["PATCH", "", { data: { title: 1 }, other: 2 }, {}],
      ["PATCH", "", { data: {} }, { "Content-Type": "text/plain" }],
      ["PATCH", "", { data: {} }, { "If-Match": "broken" }],
      ["PATCH", "", { data: { title: "x".repeat(1_100_000) } }, {}],
      ["PATCH", "", { status: "closed" }, {}],
      ["DELETE", "", undefined, { "If-Match": '"1"' }],
      ["DELETE", "?bogus=1", undefined, {}],
      ["POST", "", {}, {}],
    ];
    for (const [method, query, body, headers] of requests) {
      const [hidden, none] = await Promise.all(
        [outside, missing].map(async (id) =>
          comparable(await partner.send(method, `/submissions/${id}${query}`, body, headers), id),
        ),
      );
      expect([method, query, hidden]).toEqual([method, query, none]);
    }
  });

  it("is not told how large the hidden part of a definition is", async () => {
    const label = "L".repeat(200);
    const options = Array.from({ length: 500 }, (_, index) => ({ value: `v${index}`, label }));
    const large = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: `s${index}`, type: "select", options }));
    const form = await makeForm(owner, [...fields, ...large(5)], { views: [view] });
    const whole = await makeForm(owner, large(4));
    const other = await makeForm(owner, large(5));
    const partner = await client({
      permissions: rights,
      resources: [`form:${form}/ours`, `form:${whole}`, `form:${other}`],
    });
    const joined = await partner.get(`/openapi.json?forms=${form},${whole}`);
    expect([joined.status, joined.body.code]).toEqual([200, undefined]);
    const seen = (await partner.get(`/openapi.json?forms=${form},${whole},${other}`)).text;
    await owner.patch(`/forms/${form}/schema`, {
      views: [{ ...view, name: "x".repeat(100) }],
    });
    const schema = (await owner.get(`/forms/${form}/schema`)).body;
    await owner.put(`/forms/${form}/schema`, { ...schema, fields: schema.fields.slice(0, -1) });
    const again = (await partner.get(`/openapi.json?forms=${form},${whole},${other}`)).text;
    const size = /bytes together, not \d+/;
    expect(seen).toMatch(size);
    expect(size.exec(again)?.[0]).toBe(size.exec(seen)?.[0]);
  });

  it("learns no value of a hidden item from pages that end early", async () => {
    const notTheirs = { ...view, conditions: [{ ...ours, op: "ne", value: "theirs" }] };
    const people = await makeApp(owner, [{ key: "name", type: "text" }]);
    const sorted = [
      ...fields.slice(0, 2),
      { key: "amount", type: "number" },
      { key: "person", type: "reference", app: people },
    ];
    const shown = ["title", "team", "amount", "person"];
    const form = await makeForm(owner, sorted, { views: [{ ...notTheirs, fields: shown }] });
    const items = `/forms/${form}/submissions`;
    for (let from = 0; from < 300; from += 100) {
      const operations = Array.from({ length: 100 }, (_, index) => {
        const data = { team: "theirs", title: "t", amount: 10 * (from + index) };
        return { op: "create", data };
      });
      expect((await owner.post(`${items}/batch`, { operations })).status).toBe(200);
    }
    const resources = [`form:${form}/ours`, `app:${people}`];
    const partner = await client({ permissions: [...rights, "records:read"], resources });
    const name = "Yamada";
    const { id: person } = (await owner.post(`/apps/${people}/records`, { data: { name } })).body;
    await created(partner, items, { team: "ours", title: "last", amount: 1e6, person });
    // The dearer the conditions, the earlier a page ends.
    const texts = Array.from({ length: 48 }, (_, index) => `t${index || ""}`);
    const conditions = [
      { not: { all: texts.map((value) => ({ field: "title", op: "contains", value })) } },
    ];
    for (const sort of [[{ field: "amount" }], [{ field: "amount" }, { field: "title" }]]) {
      const body = { conditions, sort, expand: ["person"], limit: 1 };
      const page = await partner.post(`${items}/search`, body);
      const titles = page.body.items.map(({ data }: Json) => data.title);
      expect([page.status, titles, page.body.links.next]).toEqual([200, ["last"], null]);
      expect(Object.keys(page.body.included)).toEqual([person]);
    }
    const named = [{ field: "title", op: "eq", value: "t" }, ...conditions];
    const none = await partner.post(`${items}/search`, { conditions: named });
    expect([none.status, none.body.items, none.body.links.next]).toEqual([200, [], null]);
  });
});
