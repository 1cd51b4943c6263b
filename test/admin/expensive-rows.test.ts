import { beforeAll, describe, expect, it } from "vitest";
import { everyItem, type Client, type Json } from "../support/client";
import { copyItem } from "../support/copies";
import { admin, client, makeForm } from "../support/service";
import { pathOf, runAndOfferUndo } from "./offered-undo";

/** Bulk actions and imports whose items exceed the limits of a batch together, although each item alone is allowed. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

/** Views that search a text for so many other texts of this length together. */
const viewsOf = (count: number, letters: number) => {
  const conditions = Array.from({ length: count }, (_, index) => ({
    field: "text",
    op: "contains",
    value: `${String.fromCodePoint(97 + (index % 26))}${index}`.padEnd(letters, "q"),
  }));
  return Array.from({ length: Math.ceil(count / 50) }, (_, place) => ({
    key: `v${place}`,
    name: `V${place}`,
    conditions: [{ any: conditions.slice(place * 50, place * 50 + 50) }],
  }));
};

const textFields = [
  { key: "code", type: "text", unique: true },
  { key: "text", type: "multiline_text", max_length: 100_000, searchable: true },
  { key: "team", type: "text" },
];

const store = async (form: string, count: number, data: (index: number) => Json) => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { status, body } = await owner.post(`/forms/${form}/submissions`, { data: data(index) });
    expect(status).toBe(201);
    ids.push(body.id);
  }
  return ids;
};

/** Each item takes about a twentieth of the budget for conditions of views. */
async function makeLongTexts(count = 40) {
  const form = await makeForm(owner, textFields, { views: viewsOf(48, 30) });
  const text = "z".repeat(99_990);
  const ids = await store(form, count, (index) => ({ code: `c${index}`, text, team: "a" }));
  return { form, ids };
}

/** The fields of items with lines, and with so many sums over them. */
const sumFields = (count: number, formulaOf: (factor: number) => string) => [
  { key: "active", type: "boolean" },
  { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
  ...Array.from({ length: count }, (_, index) => ({
    key: `sum${index}`,
    type: "computed",
    formula: formulaOf(index + 1),
    result: "number",
  })),
];
const linesOf = (count: number) => Array.from({ length: count }, (_, qty) => ({ qty }));
const longSum = (factor: number) => `sum(lines.map(l, l.qty * ${factor} + l.qty * 2 + l.qty * 3))`;
/** A sum that takes long only for active items. */
const switchedSum = (factor: number) =>
  `active == true ? sum(lines.map(l, l.qty * ${factor} + l.qty * 2)) : 0`;

/** Each item takes about a third of the formula steps of a batch. */
async function makeManyRows(count = 60) {
  const form = await makeForm(owner, [{ key: "team", type: "text" }, ...sumFields(12, longSum)]);
  const lines = linesOf(400);
  const ids = await store(form, count, () => ({ team: "a", lines }));
  return { form, ids };
}

/** Runs all steps of a bulk action. Returns its last report and the number of steps. */
async function runBulk(form: string, act: object) {
  let further: object = {};
  for (let steps = 1; steps <= 20; steps += 1) {
    const path = `/forms/${form}/items/selected`;
    const { status, body } = await admin("POST", path, { ...act, sure: "yes", ...further });
    expect(status).toBe(200);
    const { done, unchanged, refused, failed } = body;
    if (body.next === null) return { report: { done, unchanged, refused, failed }, steps };
    further = { from: body.next, done, unchanged, refused, refusals: failed };
  }
  throw new Error("The bulk action does not end.");
}

describe("With a view that searches long texts", () => {
  it.each([
    ["closes", { act: "close" }],
    ["edits", { act: "edit", data: { team: "b" } }],
    ["deletes", { act: "delete" }],
  ])("a bulk action %s all selected items", async (_, act) => {
    const { form, ids } = await makeLongTexts();
    const { report } = await runBulk(form, { ...act, ids });
    expect(report).toEqual({ done: 40, unchanged: 0, refused: 0, failed: [] });
  });

  it("a review accepts all rows, and an import updates them", async () => {
    const { form } = await makeLongTexts();
    const rows = Array.from({ length: 40 }, (_, index) => `c${index},b\n`).join("");
    const path = `/forms/${form}/items/import`;
    const file = { csv: `code,team\n${rows}`, by: "code" };
    const all = { created: 0, updated: 40, unchanged: 0, refused: 0 };
    expect((await admin("POST", path, file)).body.would).toEqual(all);
    const { body } = await admin("POST", path, { ...file, act: "write" });
    expect([body.written, body.refused]).toEqual([all, []]);
  });
});

describe("With formulas over many rows", () => {
  it("a bulk action edits all selected items, in as many steps as it needs", async () => {
    const { form } = await makeManyRows(66);
    const act = { act: "edit", data: { team: "b" }, all: "yes" };
    const { report, steps } = await runBulk(form, act);
    expect(report).toEqual({ done: 66, unchanged: 0, refused: 0, failed: [] });
    expect(steps).toBeGreaterThan(1);
    const { body } = await admin("GET", `/forms/${form}/items?f.team.eq=b`);
    expect(body.count.count).toBe(66);
  });

  it("an import stores all rows, in as many steps as it needs", async () => {
    const { form } = await makeManyRows(0);
    const lines = JSON.stringify(linesOf(400));
    const row = (index: number) => `t${index},"${lines.replaceAll('"', '""')}"\n`;
    const rows = Array.from({ length: 66 }, (_, index) => row(index));
    const csv = `team,lines\n${rows.join("")}`;
    const path = `/forms/${form}/items/import`;
    let [from, written, steps]: [number | null, Json, number] = [0, {}, 0];
    while (from !== null) {
      const { status, body } = await admin("POST", path, { csv, act: "write", from, ...written });
      expect(status).toBe(200);
      ({ next: from, written } = body);
      steps += 1;
    }
    expect(written).toEqual({ created: 66, updated: 0, unchanged: 0, refused: 0 });
    expect(steps).toBeGreaterThan(1);
    expect(await everyItem(owner, `/forms/${form}/submissions`)).toHaveLength(66);
  });

  it("an import ends after its last row, even if listing the rejected rows takes too long", async () => {
    const form = await makeForm(owner, [
      { key: "code", type: "text", unique: true },
      { key: "n", type: "number", maximum: 5 },
      ...sumFields(14, switchedSum),
    ]);
    const lines = linesOf(500);
    await store(form, 70, (index) => ({ code: `c${index}`, active: false, lines }));
    const row = (_: unknown, index: number) => `c${index},true,${index === 7 ? 9 : 1}\n`;
    const csv = `code,active,n\n${Array.from({ length: 70 }, row).join("")}`;
    const file = { csv, by: "code", act: "write" };
    const path = `/forms/${form}/items/import`;
    let last = (await admin("POST", path, file)).body;
    while (last.next !== null) {
      const step = await admin("POST", path, { ...file, from: last.next, ...last.written });
      expect(step.status).toBe(200);
      last = step.body;
    }
    expect(last.written).toEqual({ created: 0, updated: 69, unchanged: 0, refused: 1 });
    expect(last.refused).toBeNull();
  });

  it("an undo continues in further steps if the items take too long for one request", async () => {
    const form = await makeForm(owner, sumFields(14, switchedSum));
    const lines = linesOf(500);
    const items = `/forms/${form}/submissions`;
    const { body: item } = await owner.post(items, { data: { active: true, lines } });
    await copyItem(item.id, 79);
    const values = await runAndOfferUndo(form, {
      act: "edit",
      data: JSON.stringify({ active: false }),
      all: "yes",
    });
    const rest = await runAndOfferUndo(form, values);
    expect(rest).toMatchObject({ of: "edit", request: values.request });
    const left = Number(rest.count);
    expect(left).toBeLessThan(80);
    const last = await admin("POST", pathOf(form), rest);
    expect(last.body).toEqual({ done: left, refused: 0 });
    const { body } = await admin("GET", `/forms/${form}/items?f.active.eq=true`);
    expect(body.count.count).toBe(80);
  });
});

describe("An item that exceeds a limit alone", () => {
  it("is rejected with a reason about its values, and the other items are changed", async () => {
    const form = await makeForm(owner, textFields);
    const long = "z".repeat(100_000);
    const ids = await store(form, 9, (index) => ({
      code: `c${index}`,
      text: index % 4 === 0 ? long : "short",
      team: "a",
    }));
    const put = { fields: textFields, views: viewsOf(80, 1000) };
    const answer = await owner.put(`/forms/${form}/schema`, put);
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
    const reason =
      "The conditions of the views take too long on these values. Shorten the texts, or remove conditions from views.";
    for (const act of [{ act: "edit", data: { team: "b" } }, { act: "close" }]) {
      const { report } = await runBulk(form, { ...act, ids });
      expect(report).toMatchObject({ done: 6, refused: 3 });
      expect(report.failed.map((each: Json) => each.reason)).toEqual([reason, reason, reason]);
    }
    const csv = `code,team\n${ids.map((_, index) => `c${index},c\n`).join("")}`;
    const file = { csv, by: "code", act: "write" };
    const { body } = await admin("POST", `/forms/${form}/items/import`, file);
    expect(body.refused[0]).toEqual({ line: 2, errors: [{ field: "", reason }] });
  });
});
