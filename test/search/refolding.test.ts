import { beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import type { Client } from "../support/client";
import { client, makeForm } from "../support/service";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";
import { ItemBrowser } from "./item-browser";

const texts = ["νησί", "ΝΗΣΟΣ", "οδός ΑΒ", "ıstanbul", "Istanbul", "ŞİŞLİ ılıca", "plain"];
/** The folding of entries that were stored before full case folding. */
const formerFolding = (text: string) =>
  text.toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
const searches: [op: string, value: string, expected: string[]][] = [
  ["contains", "νησ", ["νησί", "ΝΗΣΟΣ"]],
  ["contains", "νησος", ["ΝΗΣΟΣ"]],
  ["contains", "ΟΔΌΣ", ["οδός ΑΒ"]],
  ["contains", "οδός α", ["οδός ΑΒ"]],
  ["contains", "istanbul", ["Istanbul"]],
  ["starts_with", "ISTAN", ["Istanbul"]],
  ["contains", "ıstan", ["ıstanbul"]],
  ["contains", "şi̇şli̇ ıl", ["ŞİŞLİ ılıca"]],
  ["starts_with", "PLAI", ["plain"]],
];

describe("Search without case", () => {
  let integrator: Client;
  let form: string;
  beforeAll(async () => {
    integrator = await client();
    const text = { key: "t", type: "text" };
    form = await makeForm(integrator, [text, { key: "l", type: "line_items", fields: [text] }]);
    for (const t of texts) {
      await integrator.post(`/forms/${form}/submissions`, { data: { t, l: [{ t }] } });
    }
  });
  /** The texts that each search finds, by a field and by a column. */
  const findAll = async () => {
    const found: [value: string, texts: string[]][] = [];
    for (const [op, value] of searches) {
      const byText = { field: "t", op, value };
      for (const condition of [byText, { field: "l", op: "any", value: [byText] }]) {
        const { body } = await integrator.post(`/forms/${form}/submissions/search`, {
          conditions: [condition],
          sort: [{ field: "$created_at" }],
        });
        found.push([value, body.items.map((item: { data: { t: string } }) => item.data.t)]);
      }
    }
    return found;
  };
  const allFound = searches.flatMap(([, value, expected]) => [
    [value, expected],
    [value, expected],
  ]);
  const foldings = async () => {
    const query = "select value, folded from search_entry where typeof(value) = 'text' order by 1";
    return (await dataDb.prepare(query).all()).results;
  };

  it("finds Greek and Turkish texts by Unicode's full case folding", async () => {
    expect(await findAll()).toEqual(allFound);
  });

  it("returns the same for entries with the former folding, until and after they are rewritten in the background", async () => {
    const current = await foldings();
    await dataDb.batch([
      ...texts.map((text) =>
        dataDb
          .prepare("update search_entry set folded = nullif(?1, value) where value = ?2")
          .bind(formerFolding(text), text),
      ),
      dataDb.prepare("insert into refolding values (1, 0, '', 0)"),
    ]);
    expect(await foldings()).not.toEqual(current);
    expect(await findAll()).toEqual(allFound);
    const browser = new ItemBrowser();
    const compiled = await browser.form(form);
    for (const [word, expected] of [
      ["νησ", 2],
      ["istanbul", 1],
    ] as const) {
      const page = await browser.page(compiled, { text: word });
      expect([word, page.views.length]).toEqual([word, expected]);
    }
    await runBackfill(background());
    expect(await foldings()).toEqual(current);
    expect(await dataDb.prepare("select count(*) n from refolding").first("n")).toBe(0);
    expect(await findAll()).toEqual(allFound);
  });
});
