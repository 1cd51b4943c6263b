import { beforeAll, describe, expect, it } from "vitest";
import type { Field } from "../../src/domain/definition/field.ts";
import { cellReader } from "../../src/domain/import/cells.ts";
import { host, type Client, type Json } from "../support/client";
import { exports } from "cloudflare:workers";
import { counted } from "../support/counting";
import { admin, anonymous, client, makeApp, makeForm, ownerCookie } from "../support/service";

const fields = [
  { key: "title", label: "Title", type: "text", required: true },
  { key: "code", label: "Code", type: "text", unique: true },
  { key: "amount", label: "Amount", type: "number", decimals: 2 },
  { key: "agreed", label: "Agreed", type: "boolean" },
  { key: "at", label: "At", type: "datetime" },
  {
    key: "kind",
    label: "Kind",
    type: "select",
    options: [
      { value: "a", label: "First one" },
      { value: "b", label: "Second" },
    ],
  },
  {
    key: "tags",
    label: "Tags",
    type: "multi_select",
    options: [
      { value: "x", label: "X, the first" },
      { value: "y", label: "Y" },
    ],
  },
  { key: "note", label: "Note", type: "multiline_text", default: "none" },
  {
    key: "lines",
    label: "Lines",
    type: "line_items",
    fields: [
      { key: "sku", label: "SKU", type: "text" },
      { key: "qty", label: "Qty", type: "number" },
    ],
  },
  { key: "total", label: "Total", type: "computed", formula: "amount * 2", result: "number" },
];

describe("An import", () => {
  let by: Client;
  beforeAll(async () => {
    by = await client();
  });
  const made = async (own: object[] = fields, rest: object = {}) => {
    const key = await makeForm(by, own, rest);
    const items = `/forms/${key}/items`;
    const send = async (body: object): Promise<Json> =>
      (await admin("POST", `${items}/import`, body)).body;
    const stored = async () => (await admin("GET", items)).body.items as Json[];
    return { key, items, send, stored };
  };
  const people = (count: number) =>
    `title,amount\n${Array.from({ length: count }, (_, i) => `Row ${i},${i}\n`).join("")}`;

  it("tells what would become of each row, by column, and writes nothing", async () => {
    const { send, stored } = await made();
    const csv = "Title;Amount;Agreed;Kind;Unknown\nA;1,5;yes;First one;?\n;x;maybe;c;?\n";
    const told = await send({ csv });
    expect(told.columns.map(({ field }: Json) => field)).toEqual([
      "title",
      "amount",
      "agreed",
      "kind",
      null,
    ]);
    expect(told.would).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 1 });
    expect(told.refused[0].line).toBe(3);
    expect(told.refused[0].errors.map(({ field }: Json) => field).toSorted()).toEqual([
      "Agreed",
      "Amount",
      "Kind",
      "Title",
    ]);
    expect(await stored()).toEqual([]);
  });

  it("writes the rows that are good, once, however often it is repeated", async () => {
    const { send, stored } = await made();
    const csv = "title,amount\nA,1\nB,wrong\nC,3\n";
    const first = await send({ csv, act: "write" });
    expect(first.written).toEqual({ created: 2, updated: 0, unchanged: 0, refused: 1 });
    expect(first.refused.map(({ line }: Json) => line)).toEqual([3]);
    const again = await send({ csv, act: "write" });
    expect(again.written).toEqual({ created: 0, updated: 0, unchanged: 2, refused: 1 });
    expect((await stored()).map(({ data }) => [data.title, data.amount, data.note])).toEqual([
      ["C", 3, "none"],
      ["A", 1, "none"],
    ]);
  });

  it("that is sent twice at once, and begun in the middle, doubles nothing", async () => {
    const { send, stored } = await made();
    const csv = people(250);
    await Promise.all([send({ csv, act: "write" }), send({ csv, act: "write" })]);
    await send({ csv, act: "write", from: 100 });
    const titles = new Set<string>();
    for (const { data } of await stored()) titles.add(data.title);
    const count = (await send({ csv })).would;
    expect(count).toEqual({ created: 0, updated: 0, unchanged: 250, refused: 0 });
    expect(titles.size).toBe(50);
  });

  it("asks the database as often whether a row is refused or all of them are", async () => {
    const cookie = await ownerCookie();
    const { fetch, counts, reset } = counted();
    const own = Array.from({ length: 100 }, (_, i) => ({ key: `n${i}`, type: "number" }));
    const { items } = await made([{ key: "title", type: "text" }, ...own]);
    const header = ["title", ...own.slice(0, 99).map(({ key }) => key)].join(",");
    const good = `Good${",1".repeat(99)}\n`;
    const askedFor = async (wrong: number) => {
      const csv = `${header}\n${good.repeat(50 - wrong)}${`Bad${",x".repeat(99)}\n`.repeat(wrong)}`;
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
      expect([written.created, written.refused]).toEqual([50 - wrong, wrong]);
      return counts.d1;
    };
    expect(await askedFor(49)).toBeLessThanOrEqual(await askedFor(1));
  });

  it("that takes too much to be checked at once is refused before anything is written", async () => {
    const { send, stored } = await made([
      { key: "title", type: "text" },
      { key: "m", type: "multiline_text", default: "a".repeat(19_000) },
      ...Array.from({ length: 24 }, (_, i) => ({
        key: `c${i}`,
        type: "computed",
        formula: `m.contains("${"b".repeat(470)}")`,
        result: "boolean",
      })),
    ]);
    const refused = await send({ csv: `title\n${"A\n".repeat(700)}` });
    expect(refused.errors?.map(({ field, code }: Json) => [field, code])).toEqual([
      ["file", "too_complex"],
    ]);
    expect(await stored()).toEqual([]);
  });

  it("goes step by step, and says where the next one begins", async () => {
    const { send } = await made();
    const csv = people(720);
    const first = await send({ csv, act: "write" });
    expect([first.next, first.written.created]).toEqual([500, 500]);
    const last = await send({ csv, act: "write", from: first.next, ...first.written });
    expect([last.next, last.written.created]).toEqual([null, 720]);
  });

  it("changes those that are found by a unique field, and creates the others", async () => {
    const { send, stored } = await made();
    await send({ csv: "title,code\nA,one\nB,two\n", act: "write" });
    const csv = "code,title\none,Changed\nthree,New\ntwo,B\n,Nobody\n";
    const told = await send({ csv });
    expect(told.by).toBe("code");
    expect(told.would).toEqual({ created: 1, updated: 1, unchanged: 1, refused: 1 });
    await send({ csv, act: "write" });
    const titles = (await stored()).map(({ data }) => data.title).toSorted();
    expect(titles).toEqual(["B", "Changed", "New"]);
  });

  it("tells of values that somebody has already, in the file and outside, before anything is written", async () => {
    const { send } = await made();
    await send({ csv: "title,code\nA,one\n", act: "write" });
    const rows = Array.from({ length: 150 }, (_, i) => `R${i},c${i}\n`).join("");
    const csv = `title,code\n${rows}Taken,one\nTwice,c3\n`;
    const told = await send({ csv, by: "" });
    expect(told.would).toEqual({ created: 150, updated: 0, unchanged: 0, refused: 2 });
    expect(told.refused.map(({ line, errors }: Json) => [line, errors[0].field])).toEqual([
      [152, "Code"],
      [153, "Code"],
    ]);
    expect((await send({ csv, by: "", act: "write" })).written).toEqual(told.would);
  });

  it.each(["csv", "spreadsheet"])("takes back what is downloaded as %s", async (format) => {
    const own = format === "csv" ? fields : fields.filter(({ type }) => type !== "line_items");
    const { items, send, stored } = await made(own);
    const data = {
      title: '=Sum "a", b',
      code: "c 1",
      amount: -1.5,
      agreed: false,
      at: "2026-12-02T08:30:00.000Z",
      kind: "b",
      tags: ["x", "y"],
      note: "two\nlines",
      ...(format === "csv" ? { lines: [{ sku: "A;1", qty: 2 }] } : {}),
    };
    await admin("POST", items, { data });
    if (format === "csv") await admin("POST", items, { data: { title: "Bare", note: null } });
    const before = await stored();
    const { text: csv } = await admin("GET", `${items}/export?format=${format}`);
    const same = { created: 0, updated: 0, unchanged: before.length, refused: 0 };
    expect((await send({ csv, act: "write" })).written).toEqual({ ...same });
    const other = await made(own);
    const whole = await other.send({ csv, by: "", act: "write" });
    expect(whole.written.created).toBe(before.length);
    const copied = (await other.stored()).map((each) => each.data);
    expect(copied.toSorted(byTitle)).toEqual(before.map((each) => each.data).toSorted(byTitle));
  });

  it("gives the refused rows as CSV, which can be imported when they are mended", async () => {
    const { items, send } = await made();
    const csv = "title,amount\nA,1\nB,wrong\n";
    await send({ csv, act: "write" });
    const { text } = await admin("POST", `${items}/import`, { csv, act: "refused" });
    expect(text).toMatch(/^title,amount,Line,Why\r\nB,wrong,3,"?Amount: .+\r\n$/);
    const mended = await send({ csv: text.replace("wrong", "2"), act: "write" });
    expect(mended.written).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 0 });
  });

  it("gives the refused rows divided as the file was, so that their numbers still are numbers", async () => {
    const { items, send } = await made();
    const csv = "title;amount;kind\nA, B;1,5;wrong\n";
    const { text } = await admin("POST", `${items}/import`, { csv, act: "refused" });
    const mended = await send({ csv: text.replace("wrong", "a"), act: "write" });
    expect(mended.written).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 0 });
  });

  it("of an app's records makes them with receipt numbers", async () => {
    const key = await makeApp(by, [{ key: "title", type: "text" }], { receipt_prefix: "IMP-" });
    const path = `/apps/${key}/items`;
    await admin("POST", `${path}/import`, { csv: "title\nA\nB\n", act: "write" });
    const { items } = (await admin("GET", path)).body;
    expect(items.map((each: Json) => each.receipt_number)).toEqual(["IMP-000002", "IMP-000001"]);
  });

  it.each([
    [{}, "Choose a file"],
    [{ csv: "title\n" }, "no row below"],
    [{ csv: 'title\n"A' }, "Line 2"],
    [{ csv: "a,b\n1" }, "1 cells in place of 2"],
    [{ csv: "title\nA", columns: ["nothing"] }, "no such field"],
    [{ csv: "a,b\n1,2", columns: ["title", "title"] }, "A column before"],
    [{ csv: `title\n${"A\n".repeat(5001)}` }, "more than 5000 rows"],
  ])("is refused where it cannot be read: %j", async (body, reason) => {
    const { send } = await made();
    const refused = await send(body);
    expect(refused.code).toBe("invalid_input");
    expect(refused.errors[0].reason).toContain(reason);
  });

  it("has at most 120,000 cells that say something, in columns that are imported", async () => {
    const own = Array.from({ length: 100 }, (_, i) => ({ key: `n${i}`, type: "number" }));
    const { send } = await made(own);
    const header = own.map(({ key }) => key).join(",");
    const csv = `${header}\n${`${Array(100).fill("1").join(",")}\n`.repeat(1201)}`;
    expect((await send({ csv })).errors?.[0].reason).toContain("120000 are the most");
    const columns = own.map(({ key }, i) => (i < 2 ? key : ""));
    expect((await send({ csv, columns })).would?.created).toBe(1201);
  });

  it("reads a cell of many choices in a time that grows with it, whatever the options are called", () => {
    const label = `${",".repeat(199)}y`;
    const options = [
      { value: "x", label },
      { value: "z", label: "Z, the last" },
    ];
    const field = { type: "multi_select", options } as unknown as Field;
    const read = cellReader(field, { lossless: false, zone: "UTC", commas: false });
    expect(read(`z; ${label},`)).toEqual(["z", "x"]);
    expect(read(" Z, the last ,\n")).toEqual(["z"]);
    const started = Date.now();
    read(",".repeat(30_000));
    read("z,".repeat(30_000));
    expect(Date.now() - started).toBeLessThan(1500);
  });

  it("takes no file that would not fit into the form of its next step", async () => {
    const { items } = await made([{ key: "title", type: "text" }]);
    const sent = async (text: string, act: string) => {
      const body = new FormData();
      body.set(
        act === "check" ? "file" : "csv",
        act === "check" ? new File([text], "x.csv") : text,
      );
      body.set("act", act);
      const headers = { Cookie: await ownerCookie(), Accept: "text/html" };
      const request = new Request(`${host}/admin${items}/import`, {
        method: "POST",
        body,
        headers,
      });
      const response = await exports.default.fetch(request);
      return [response.status, (await response.text()).includes("more than 1 MB")];
    };
    const rows = (count: number) => `title\n${`${"a".repeat(998)}\n`.repeat(count)}`;
    expect(await sent(rows(1000), "check")).toEqual([422, true]);
    expect(await sent(rows(999), "check")).toEqual([200, false]);
    expect(await sent(rows(999).replaceAll("\n", "\r\n"), "write")).toEqual([200, false]);
  });

  it("takes a file in UTF-8 alone, and says so on the page", async () => {
    const { items } = await made();
    const body = new FormData();
    body.set("file", new File([new Uint8Array([0x74, 0x0a, 0xe4, 0x0a])], "x.csv"));
    const headers = { Cookie: await ownerCookie(), Accept: "text/html" };
    const request = new Request(`${host}/admin${items}/import`, { method: "POST", body, headers });
    const response = await exports.default.fetch(request);
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining("It is not in UTF-8."),
    ]);
  });

  it("into a form that is closed is refused as a whole", async () => {
    const { key, items, send, stored } = await made();
    await by.put(`/forms/${key}/schema`, { fields, acceptance: { state: "closed" } });
    const refused = await send({ csv: "title\nA\n", act: "write" });
    expect(refused.code).toBe("submissions_closed");
    expect(await stored()).toEqual([]);
    const page = await anonymous("POST", `/admin${items}/import`, "csv=title%0AA&act=write", {
      Cookie: await ownerCookie(),
      Accept: "text/html",
      "Content-Type": "application/x-www-form-urlencoded",
    });
    expect([page.status, page.text.includes("Try again")]).toEqual([409, true]);
  });
});

const byTitle = (a: Json, b: Json) => (a.title < b.title ? -1 : 1);
