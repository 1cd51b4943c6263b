import fc from "fast-check";
import { beforeAll, describe, expect, it as itAtEachSize } from "vitest";
import type { CompiledCollection } from "../../src/domain/data/compile.ts";
import { itemColumns } from "../../src/store/data/items.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { ItemBrowser } from "./item-browser";
import { foldText, matches } from "./reference";
import { dataDb } from "../support/databases";
import { fullSize, randomCases, unsized } from "../support/size";

const text = (key: string, settings: object = {}) => ({ key, type: "text", ...settings });

const { it } = unsized;

describe("Text search", () => {
  const browser = new ItemBrowser();
  let integrator: Client;
  let form: CompiledCollection;
  let items: Json[];
  beforeAll(async () => {
    integrator = await client();
    const key = await makeForm(integrator, arbitrary.fields);
    for (const data of fc.sample(arbitrary.document, { numRuns: 60, seed: 11 })) {
      await integrator.post(`/forms/${key}/submissions`, { data });
    }
    items = await everyItem(integrator, `/forms/${key}/submissions`);
    form = await browser.form(key);
  }, 60_000);

  const textsOf = ({ id, data }: Json): string[] => [
    id,
    ...[data.name, ...data.lines.map((line: Json) => line.sku)].filter((value) => value !== null),
  ];
  const itemsWith = (typed: string) =>
    items.filter((item) =>
      typed
        .trim()
        .split(/\s+/)
        .every((word) => textsOf(item).some((value) => foldText(value).includes(foldText(word)))),
    );

  itAtEachSize(
    "returns every item that has all words, ignoring case, once each, newest first",
    async () => {
      const word = fc.constantFrom(
        "ä",
        "SS",
        "ß",
        "%",
        "_",
        "a",
        "1",
        "όσο",
        "本",
        "b",
        "🎉",
        "zz",
      );
      const typed = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
      await fc.assert(
        fc.asyncProperty(typed, fc.integer({ min: 3, max: 30 }), async (words, limit) => {
          const expected = itemsWith(words).map(({ id }) => id);
          expect(await browser.ids(form, { text: words }, limit)).toEqual(expected.toReversed());
        }),
        { numRuns: randomCases(25, 60) },
      );
    },
    60_000,
  );

  it("puts items that begin with the text first on page one, without repeating them", async () => {
    const { prefixMatches, views } = await browser.page(form, {
      text: "STRASSE",
      isForPeople: true,
    });
    const expected = itemsWith("strasse").filter((item) =>
      textsOf(item).some((value) => value.startsWith("STRASSE")),
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(prefixMatches.map(({ id }) => id)).toEqual(expected.map(({ id }) => id).toReversed());
    const ids = [...prefixMatches, ...views].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(
      itemsWith("strasse")
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it("finds an item by a part of its id, and puts it first for the whole id", async () => {
    const { id } = items[7];
    const partialMatch = await browser.page(form, { text: id.slice(-8).toLowerCase() });
    expect(partialMatch.views.map((item) => item.id)).toEqual([id]);
    const exactMatch = await browser.page(form, { text: id, isForPeople: true });
    expect(exactMatch.prefixMatches.map((item) => item.id)).toEqual([id]);
    expect(exactMatch.views).toEqual([]);
  });

  it("combines text with conditions, and sorts the result", async () => {
    const conditions = [{ field: "amount", op: "gte", value: 1 }];
    const body = { conditions, sort: [{ field: "amount", direction: "asc" }] };
    const { views, prefixMatches } = await browser.page(form, {
      body,
      text: "a",
      isForPeople: true,
    });
    const expected = itemsWith("a").filter((item) => matches(item, conditions, arbitrary.types));
    expect(prefixMatches).toEqual([]);
    expect(views.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    const amounts = views.map(({ data }) => Number(data["amount"]));
    expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
  });

  it("finds a record by its receipt number", async () => {
    const key = await makeApp(integrator, [text("title")], { receipt_prefix: "ORD-" });
    const responses = [];
    for (let n = 0; n < 3; n += 1) {
      responses.push(await integrator.post(`/apps/${key}/records`, { data: { title: `t${n}` } }));
    }
    const app = await browser.app(key);
    const { prefixMatches } = await browser.page(app, { text: "ord-000002", isForPeople: true });
    expect(prefixMatches.map(({ id }) => id)).toEqual([responses[1]?.body.id]);
    const prefix = await browser.page(app, { text: "ord-00000", isForPeople: true });
    const newestFirst = responses.map(({ body }) => body.id).toReversed();
    expect(prefix.prefixMatches.map(({ id }) => id)).toEqual(newestFirst);
    expect(prefix.views).toEqual([]);
    const partialMatch = await browser.page(app, { text: "-000003" });
    expect(partialMatch.views.map(({ id }) => id)).toEqual([responses[2]?.body.id]);
  });

  it("ignores fields that are not searchable and values of other types", async () => {
    const key = await makeForm(integrator, [
      text("a"),
      text("secret", { searchable: false }),
      { key: "n", type: "number" },
      { key: "l", type: "line_items", fields: [text("s"), text("t", { searchable: false })] },
    ]);
    const l = [{ s: "needle in a row", t: "hidden row" }];
    await integrator.post(`/forms/${key}/submissions`, { data: { secret: "hidden", n: 4711, l } });
    const collection = await browser.form(key);
    const countMatches = async (query: string) =>
      (await browser.ids(collection, { text: query }, 50)).length;
    expect(await countMatches("NEEDLE row")).toBe(1);
    expect(await countMatches("hidden")).toBe(0);
    expect(await countMatches("4711")).toBe(0);
  });

  it("rejects texts that it cannot search with a field error for `q`", async () => {
    const errorsFor = async (query: string) => {
      const problem: Json = await browser.page(form, { text: query }).catch((error) => error);
      return problem.members.errors;
    };
    expect(await errorsFor("a b c d e f")).toEqual([
      { field: "q", code: "too_complex", reason: "Must have at most 5 words." },
    ]);
    expect(await errorsFor("x".repeat(1001))).toEqual([
      { field: "q", code: "too_complex", reason: "Must be at most 1000 characters long." },
    ]);
    expect(await errorsFor("a\0")).toMatchObject([{ field: "q", code: "invalid_condition" }]);
    expect((await browser.page(form, { text: "  " })).views).toHaveLength(50);
  });

  fullSize.it(
    "keeps a page within its budget on a form with hundreds of text fields",
    async () => {
      const textFields = Array.from({ length: 400 }, (_, n) => text(`f${n}`));
      const key = await makeForm(integrator, textFields);
      for (let n = 0; n < 3; n += 1) {
        const data = Object.fromEntries(
          textFields.map((field) => [field.key, `Wért ${n} ${field.key}`]),
        );
        const created = await integrator.post(`/forms/${key}/submissions`, { data });
        expect(created.status).toBe(201);
      }
      // Copies the first item to a thousand, with its entries: 400,000 values.
      const collection = await browser.form(key);
      const { id } = collection.collection;
      const firstNumber = id * 2 ** 32;
      const columns = Object.keys(itemColumns())
        .filter((name) => name !== "number" && name !== "id")
        .join(", ");
      for (let from = 4; from <= 1000; from += 100) {
        const positions = `with recursive p(n) as (select ${from} union all select n + 1 from p where n < min(1000, ${from + 99}))`;
        await dataDb.batch([
          dataDb.prepare(`insert into item (number, id, ${columns}) ${positions} select ${firstNumber} + n, 'sub_' || n, ${columns}
          from p, item where number = ${firstNumber + 1}`),
          dataDb.prepare(`insert into search_entry ${positions} select field, value, ${firstNumber} + n, folded from p, search_entry
          where field > ${firstNumber} and field < ${firstNumber + 2 ** 31} and item = ${firstNumber + 1}`),
        ]);
      }
      await dataDb
        .prepare(`update tally set live = 1000, last_place = 1000 where collection_id = ${id}`)
        .run();
      // In no item; in no item, though every item has the letters; in no item, and without a plain character.
      for (const query of ["nowhere", "xért", "éé"]) {
        const page = await browser.page(collection, { text: query, isForPeople: true });
        expect(page.views).toEqual([]);
        expect(page.nextPosition).not.toBeNull();
        expect(page.count).toEqual({ count: 0, exact: false });
        expect(browser.counts.d1).toBe(1);
        expect(browser.counts.rowsRead).toBeLessThanOrEqual(60_000);
      }
      const [first] = (await browser.page(collection, { text: "wért 1 f399", isForPeople: true }))
        .prefixMatches;
      expect(first?.data["f399"]).toBe("Wért 1 f399");
    },
    120_000,
  );
});
