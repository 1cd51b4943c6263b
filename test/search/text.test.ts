import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Compiled } from "../../src/domain/data/compile.ts";
import { itemColumns } from "../../src/store/data/items.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { Browser } from "./browsing";
import { bare, matches } from "./reference";

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });

describe("Text is found wherever in an item it stands", () => {
  const browser = new Browser();
  let integrator: Client;
  let form: Compiled;
  let stored: Json[];
  beforeAll(async () => {
    integrator = await client();
    const key = await makeForm(integrator, arbitrary.fields);
    for (const data of fc.sample(arbitrary.document, { numRuns: 60, seed: 11 })) {
      await integrator.post(`/forms/${key}/submissions`, { data });
    }
    stored = await everyItem(integrator, `/forms/${key}/submissions`);
    form = await browser.form(key);
  }, 60_000);

  const texts = ({ id, data }: Json): string[] => [
    id,
    ...[data.name, ...data.lines.map((line: Json) => line.sku)].filter((each) => each !== null),
  ];
  const holding = (typed: string) =>
    stored.filter((item) =>
      typed
        .trim()
        .split(/\s+/)
        .every((word) => texts(item).some((each) => bare(each).includes(bare(word)))),
    );

  it("every item that has each word somewhere, without case, once each, newest first", async () => {
    const word = fc.constantFrom("ä", "SS", "ß", "%", "_", "a", "1", "όσο", "本", "b", "🎉", "zz");
    const typed = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
    await fc.assert(
      fc.asyncProperty(typed, fc.integer({ min: 3, max: 30 }), async (words, limit) => {
        const expected = holding(words).map(({ id }) => id);
        expect(await browser.ids(form, { text: words }, limit)).toEqual(expected.toReversed());
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it("what begins with the text leads a first page, and is not on it twice", async () => {
    const { leading, views } = await browser.page(form, { text: "STRASSE", forPeople: true });
    const begins = holding("strasse").filter((item) =>
      texts(item).some((each) => each.startsWith("STRASSE")),
    );
    expect(begins.length).toBeGreaterThan(0);
    expect(leading.map(({ id }) => id)).toEqual(begins.map(({ id }) => id).toReversed());
    const all = [...leading, ...views].map(({ id }) => id);
    expect(all.toSorted()).toEqual(
      holding("strasse")
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it("an id is found by a part of it, and leads where it is whole", async () => {
    const { id } = stored[7];
    const part = await browser.page(form, { text: id.slice(-8).toLowerCase() });
    expect(part.views.map((each) => each.id)).toEqual([id]);
    const whole = await browser.page(form, { text: id, forPeople: true });
    expect(whole.leading.map((each) => each.id)).toEqual([id]);
    expect(whole.views).toEqual([]);
  });

  it("text and conditions hold together, and a sort orders what both leave", async () => {
    const conditions = [{ field: "amount", op: "gte", value: 1 }];
    const body = { conditions, sort: [{ field: "amount", direction: "asc" }] };
    const { views, leading } = await browser.page(form, { body, text: "a", forPeople: true });
    const expected = holding("a").filter((item) => matches(item, conditions, arbitrary.types));
    expect(leading).toEqual([]);
    expect(views.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    const amounts = views.map(({ data }) => Number(data["amount"]));
    expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
  });

  it("a record is found by its receipt number", async () => {
    const key = await makeApp(integrator, [text("title")], { receipt_prefix: "ORD-" });
    const made = [];
    for (let n = 0; n < 3; n += 1) {
      made.push(await integrator.post(`/apps/${key}/records`, { data: { title: `t${n}` } }));
    }
    const app = await browser.app(key);
    const { leading } = await browser.page(app, { text: "ord-000002", forPeople: true });
    expect(leading.map(({ id }) => id)).toEqual([made[1]?.body.id]);
    const begun = await browser.page(app, { text: "ord-00000", forPeople: true });
    const newestFirst = made.map(({ body }) => body.id).toReversed();
    expect(begun.leading.map(({ id }) => id)).toEqual(newestFirst);
    expect(begun.views).toEqual([]);
    const part = await browser.page(app, { text: "0003" });
    expect(part.views.map(({ id }) => id)).toEqual([made[2]?.body.id]);
  });

  it("fields that are not searchable, and values of other types, are not looked into", async () => {
    const key = await makeForm(integrator, [
      text("a"),
      text("secret", { searchable: false }),
      { key: "n", type: "number" },
      { key: "l", type: "line_items", fields: [text("s"), text("t", { searchable: false })] },
    ]);
    const l = [{ s: "needle in a row", t: "hidden row" }];
    await integrator.post(`/forms/${key}/submissions`, { data: { secret: "hidden", n: 4711, l } });
    const one = await browser.form(key);
    const found = async (typed: string) => (await browser.ids(one, { text: typed }, 50)).length;
    expect(await found("NEEDLE row")).toBe(1);
    expect(await found("hidden")).toBe(0);
    expect(await found("4711")).toBe(0);
  });

  it("what cannot be looked for is refused, and says what can", async () => {
    const refused = async (typed: string) => {
      const problem: Json = await browser.page(form, { text: typed }).catch((error) => error);
      return problem.members.errors;
    };
    expect(await refused("a b c d e f")).toEqual([
      { field: "q", code: "too_complex", reason: "Looks for at most 5 words at once." },
    ]);
    expect(await refused("x".repeat(1001))).toEqual([
      { field: "q", code: "too_complex", reason: "Must be at most 1000 characters long." },
    ]);
    expect(await refused("a\0")).toMatchObject([{ field: "q", code: "invalid_condition" }]);
    expect((await browser.page(form, { text: "  " })).views).toHaveLength(50);
  });

  it("a form with hundreds of text fields costs a page no more than its budget", async () => {
    const wide = Array.from({ length: 400 }, (_, n) => text(`f${n}`));
    const key = await makeForm(integrator, wide);
    for (let n = 0; n < 3; n += 1) {
      const data = Object.fromEntries(wide.map((field) => [field.key, `Wért ${n} ${field.key}`]));
      const made = await integrator.post(`/forms/${key}/submissions`, { data });
      expect(made.status).toBe(201);
    }
    // The same item a thousand times, with its entries: 400,000 values.
    const one = await browser.form(key);
    const { id } = one.collection;
    const above = id * 2 ** 32;
    const columns = Object.keys(itemColumns)
      .filter((name) => name !== "number" && name !== "id")
      .join(", ");
    for (let from = 4; from <= 1000; from += 100) {
      const places = `with recursive p(n) as (select ${from} union all select n + 1 from p where n < min(1000, ${from + 99}))`;
      await env.DB.batch([
        env.DB
          .prepare(`insert into item (number, id, ${columns}) ${places} select ${above} + n, 'sub_' || n, ${columns}
          from p, item where number = ${above + 1}`),
        env.DB
          .prepare(`insert into search_entry ${places} select field, value, ${above} + n, folded from p, search_entry
          where field > ${above} and field < ${above + 2 ** 31} and item = ${above + 1}`),
      ]);
    }
    await env.DB.prepare(
      `update tally set live = 1000, last_place = 1000 where collection_id = ${id}`,
    ).run();
    // In no item; in none, but for letters that all have; in none, and nothing of it is plain.
    for (const typed of ["nowhere", "xért", "éé"]) {
      const page = await browser.page(one, { text: typed, forPeople: true });
      expect(page.views).toEqual([]);
      expect(page.more).not.toBeNull();
      expect(page.count).toEqual({ count: 0, exact: false });
      expect(browser.counts.d1).toBe(1);
      expect(browser.counts.rowsRead).toBeLessThanOrEqual(60_000);
    }
    const [first] = (await browser.page(one, { text: "wért 1 f399", forPeople: true })).leading;
    expect(first?.data["f399"]).toBe("Wért 1 f399");
  }, 120_000);
});
