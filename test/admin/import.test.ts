import { describe, expect, it } from "vitest";
import { host, type Json } from "../support/client";
import { counted } from "../support/counting";
import { admin, ownerCookie } from "../support/service";

import { createForm, csvOf } from "./import-forms";

describe("An import", () => {
  it("shows the same figures in review and run for 300 rows, of which 20 are rejected", async () => {
    const { items, send, storedItems } = await createForm();
    const rows = Array.from({ length: 300 }, (_, i) => {
      // Every 15th row has one of four errors: no title, no number, no option, a repeated code.
      const fault = i % 15 === 14 ? Math.floor(i / 15) % 4 : -1;
      const title = fault === 0 ? "" : `Row ${i}`;
      const amount = fault === 1 ? "many" : String(i);
      const kind = fault === 2 ? "third" : "First one";
      const code = fault === 3 ? "C0" : `C${i}`;
      return `${title},${amount},${kind},${code}\n`;
    });
    const csv = `Title,Amount,Kind,Code\n${rows.join("")}`;
    const expected = { created: 280, updated: 0, unchanged: 0, refused: 20 };
    const review = await send({ csv });
    expect([review.would, review.refused.length]).toEqual([expected, 20]);
    const acceptHtml = { Accept: "text/html" };
    const page = async (body: object) =>
      (await admin("POST", `${items}/import`, body, acceptHtml)).text.replaceAll(/<[^>]+>/g, " ");
    expect(await page({ csv })).toContain("300 rows: 280 new, 20 rejected.");
    const reviewed = await page({ csv });
    expect(reviewed.indexOf("Rejected rows")).toBeLessThan(reviewed.indexOf("First data row"));
    expect(await page({ csv, act: "write" })).toContain("280 of 300 rows imported. 20 rejected.");
    expect((await send({ csv, act: "write" })).written).toMatchObject({ refused: 20 });
    expect((await admin("GET", `${items}?f.amount.gte=0`)).body.count.count).toBe(280);
    const lines = review.refused.map(({ line }: Json) => line);
    const run = await send({ csv, act: "write" });
    expect(run.refused.map(({ line }: Json) => line)).toEqual(lines);
    expect((await storedItems()).length).toBeGreaterThan(0);
  });

  it("previews the outcome of each row and stores nothing", async () => {
    const { send, storedItems } = await createForm();
    const csv = "Title;Amount;Agreed;Kind;Unknown\nA;1,5;yes;First one;?\n;x;maybe;c;?\n";
    const preview = await send({ csv });
    expect(preview.columns.map(({ field }: Json) => field)).toEqual([
      "title",
      "amount",
      "agreed",
      "kind",
      null,
    ]);
    expect(preview.would).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 1 });
    expect(preview.refused[0].line).toBe(3);
    expect(preview.refused[0].errors.map(({ field }: Json) => field).toSorted()).toEqual([
      "Agreed",
      "Amount",
      "Kind",
      "Title",
    ]);
    expect(await storedItems()).toEqual([]);
  });

  it("writes valid rows once, even when repeated", async () => {
    const { send, storedItems } = await createForm();
    const csv = "title,amount\nA,1\nB,wrong\nC,3\n";
    const first = await send({ csv, act: "write" });
    expect(first.written).toEqual({ created: 2, updated: 0, unchanged: 0, refused: 1 });
    expect(first.refused.map(({ line }: Json) => line)).toEqual([3]);
    const repeat = await send({ csv, act: "write" });
    expect(repeat.written).toEqual({ created: 0, updated: 0, unchanged: 2, refused: 1 });
    expect((await storedItems()).map(({ data }) => [data.title, data.amount, data.note])).toEqual([
      ["C", 3, "none"],
      ["A", 1, "none"],
    ]);
  });

  it("creates no duplicates when sent twice concurrently and resumed in the middle", async () => {
    const { send, storedItems } = await createForm();
    const csv = csvOf(250);
    await Promise.all([send({ csv, act: "write" }), send({ csv, act: "write" })]);
    await send({ csv, act: "write", from: 100 });
    const titles = new Set<string>();
    for (const { data } of await storedItems()) titles.add(data.title);
    const count = (await send({ csv })).would;
    expect(count).toEqual({ created: 0, updated: 0, unchanged: 250, refused: 0 });
    expect(titles.size).toBe(50);
  });

  it("makes no more D1 calls for many invalid rows than for one", async () => {
    const cookie = await ownerCookie();
    const { fetch, counts, reset } = counted();
    const numberFields = Array.from({ length: 100 }, (_, i) => ({ key: `n${i}`, type: "number" }));
    const { items } = await createForm([{ key: "title", type: "text" }, ...numberFields]);
    const header = ["title", ...numberFields.slice(0, 99).map(({ key }) => key)].join(",");
    const validRow = `Good${",1".repeat(99)}\n`;
    const databaseCalls = async (invalidRows: number) => {
      const csv = `${header}\n${validRow.repeat(50 - invalidRows)}${`Bad${",x".repeat(99)}\n`.repeat(invalidRows)}`;
      const body = JSON.stringify({ csv, act: "write" });
      const headers = {
        Cookie: cookie,
        Accept: "application/json",
        "Content-Type": "application/json",
      };
      reset();
      const address = `${host}/admin${items}/import`;
      const response = await fetch(new Request(address, { method: "POST", body, headers }));
      const { written } = (await response.json()) as Json;
      expect([written.created, written.refused]).toEqual([50 - invalidRows, invalidRows]);
      return counts.d1;
    };
    expect(await databaseCalls(49)).toBeLessThanOrEqual(await databaseCalls(1));
  });

  it("returns too_complex and stores nothing when the validation takes too many steps", async () => {
    const { send, storedItems } = await createForm([
      { key: "title", type: "text" },
      { key: "m", type: "multiline_text", default: "a".repeat(19_000) },
      ...Array.from({ length: 24 }, (_, i) => ({
        key: `c${i}`,
        type: "computed",
        formula: `m.contains("${"b".repeat(470)}")`,
        result: "boolean",
      })),
    ]);
    const rejection = await send({ csv: `title\n${"A\n".repeat(5000)}` });
    expect(rejection.errors?.map(({ field, code }: Json) => [field, code])).toEqual([
      ["file", "too_complex"],
    ]);
    expect(await storedItems()).toEqual([]);
  });

  it("writes in steps and returns the start of the next step", async () => {
    const { send } = await createForm();
    const csv = csvOf(720);
    const first = await send({ csv, act: "write" });
    expect([first.next, first.written.created]).toEqual([500, 500]);
    const last = await send({ csv, act: "write", from: first.next, ...first.written });
    expect([last.next, last.written.created]).toEqual([null, 720]);
  });

  it("updates items with a matching unique value and creates the others", async () => {
    const { items, send, storedItems } = await createForm();
    await send({ csv: "title,code\nA,one\nB,two\n", act: "write" });
    const csv = "code,title\none,Changed\nthree,New\ntwo,B\n,Nobody\n";
    const preview = await send({ csv, by: "code" });
    expect(preview.by).toBe("code");
    expect(preview.would).toEqual({ created: 1, updated: 1, unchanged: 1, refused: 1 });
    expect(preview.changes).toEqual([
      {
        line: 2,
        id: expect.stringMatching(/^sub_/) as string,
        fields: [{ field: "title", from: "A", to: "Changed" }],
      },
    ]);
    const { text } = await admin("POST", `${items}/import`, { csv, by: "code", act: "changes" });
    expect(text).toMatch(/\r\n2,sub_\w+,Title,A,Changed\r\n$/);
    expect((await send({ csv, by: "code", act: "write" })).written).toEqual(preview.would);
    const titles = (await storedItems()).map(({ data }) => data.title).toSorted();
    expect(titles).toEqual(["B", "Changed", "New"]);
  });

  it("reports duplicate values inside and outside the file before it writes", async () => {
    const { send } = await createForm();
    await send({ csv: "title,code\nA,one\n", act: "write" });
    const rows = Array.from({ length: 150 }, (_, i) => `R${i},c${i}\n`).join("");
    const csv = `title,code\n${rows}Taken,one\nTwice,c3\n`;
    const preview = await send({ csv, by: "" });
    expect(preview.would).toEqual({ created: 150, updated: 0, unchanged: 0, refused: 2 });
    expect(preview.refused.map(({ line, errors }: Json) => [line, errors[0].field])).toEqual([
      [152, "Code"],
      [153, "Code"],
    ]);
    expect((await send({ csv, by: "", act: "write" })).written).toEqual(preview.would);
  });

  it("adds new items only, unless the request asks to update existing ones", async () => {
    const { send, storedItems } = await createForm();
    await send({ csv: "title,code\nA,one\n", act: "write" });
    const csv = "title,code\nChanged,one\nB,two\n";
    const preview = await send({ csv });
    expect([preview.by, preview.changes]).toEqual([null, []]);
    expect(preview.would).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 1 });
    expect((await send({ csv, act: "write" })).written).toEqual(preview.would);
    expect((await storedItems()).map(({ data }) => data.title)).toEqual(["B", "A"]);
  });

  it.each(["", "code"])(
    "rejects rows that repeat a unique value, in the check and the run, with by = %j",
    async (by) => {
      const { send, storedItems } = await createForm();
      const rows = Array.from({ length: 598 }, (_, i) => `R${i},c${i},1\n`).join("");
      const csv = `title,code,amount\nfirst,same,1\n${rows}second,same,2\nthird,same,x\n`;
      const preview = await send({ csv, by });
      expect(preview.would).toEqual({ created: 599, updated: 0, unchanged: 0, refused: 2 });
      const reasons = preview.refused.map(({ line, errors }: Json) => [line, errors[0].reason]);
      expect(reasons).toEqual([
        [601, "Line 2 of this file has the same value."],
        [602, "Line 2 of this file has the same value."],
      ]);
      const first = await send({ csv, by, act: "write" });
      const last = await send({ csv, by, act: "write", from: first.next, ...first.written });
      expect(last.written).toEqual(preview.would);
      expect(last.refused).toEqual(preview.refused);
      expect((await storedItems()).some(({ data }) => data.title === "second")).toBe(false);
    },
  );

  it("decides the same in check and run when rows free and take values of stored items", async () => {
    const { send, storedItems } = await createForm();
    const codes = Array.from({ length: 150 }, (_, i) => `T${i},c${i}\n`).join("");
    await send({ csv: `title,code\n${codes}`, act: "write" });
    const ids = new Map<string, string>();
    for (const { id, data } of await storedItems()) ids.set(data.code, id);
    const id = (code: number) => ids.get(`c${code}`) ?? "";
    // c149 is freed before it is taken; c148 is taken by an item that is rejected.
    const filler = Array.from({ length: 98 }, (_, i) => `,F${i},f${i}\n`).join("");
    const csv = `$id,title,code\n${id(149)},T,free\n${id(148)},,other\n${filler},New,c149\n,Late,c148\n`;
    const preview = await send({ csv, by: "$id" });
    expect(preview.would).toEqual({ created: 99, updated: 1, unchanged: 0, refused: 2 });
    const run = await send({ csv, by: "$id", act: "write" });
    expect(run.written).toEqual(preview.would);
  });

  it("rejects the rows beyond the limit of a form, in the check and the run", async () => {
    const acceptance = { state: "open", max_submissions: 130 };
    const { send } = await createForm([{ key: "title", type: "text" }], { acceptance });
    const csv = `title\n${"A\n".repeat(150)}`;
    const expected = { created: 130, updated: 0, unchanged: 0, refused: 20 };
    expect((await send({ csv })).would).toEqual(expected);
    expect((await send({ csv, act: "write" })).written).toEqual(expected);
  });
});
