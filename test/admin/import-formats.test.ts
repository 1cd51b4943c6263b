import { describe, expect, it } from "vitest";
import type { Field } from "../../src/domain/definition/field.ts";
import { createCellReader } from "../../src/domain/import/cells.ts";
import { host, type Json } from "../support/client";
import { exports } from "cloudflare:workers";
import { admin, anonymous, client, makeApp, ownerCookie } from "../support/service";

import { createForm, fields, integrator } from "./import-forms";

describe("An import", () => {
  it("reads office formats that were chosen, and shows what they become", async () => {
    const { items, send, storedItems } = await createForm([
      ...fields,
      { key: "day", label: "Day", type: "date" },
    ]);
    const csv = "title;amount;day;at\nA, B;1.234,50;31.12.2026;1.7.2026 08:30\n";
    expect((await send({ csv })).would.refused).toBe(1);
    const formats = { delimiter: "semicolon", numbers: "comma", dates: "day_first" };
    const check = await admin(
      "POST",
      `${items}/import`,
      { csv, ...formats },
      { Accept: "text/html" },
    );
    const words = check.text.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
    expect(words).toContain("1.234,50 → 1,234.50");
    expect(words).toContain("31.12.2026 → 31 Dec 2026");
    expect((await send({ csv, ...formats, act: "write" })).written.created).toBe(1);
    const [item] = await storedItems();
    expect(item?.["data"]).toMatchObject({
      amount: 1234.5,
      day: "2026-12-31Z",
      at: "2026-07-01T08:30:00.000Z",
    });
    const wrong = await send({ csv, dates: "31.12." });
    expect(wrong.errors.map(({ field }: Json) => field)).toEqual(["dates"]);
    const german = { "Accept-Language": "de-DE" };
    const { text } = await admin("GET", `${items}/export?format=local`, undefined, german);
    expect(text).toContain(";1234,5;");
    expect(text).toContain(";31.12.2026");
    expect(text).toContain(";01.07.2026 08:30:00;");
    expect(text).not.toContain("member:");
  });

  it.each(["csv", "spreadsheet"])("imports its own download as %s unchanged", async (format) => {
    const formFields =
      format === "csv" ? fields : fields.filter(({ type }) => type !== "line_items");
    const { items, send, storedItems } = await createForm(formFields);
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
    const before = await storedItems();
    const { text: csv } = await admin("GET", `${items}/export?format=${format}`);
    const unchanged = { created: 0, updated: 0, unchanged: before.length, refused: 0 };
    expect((await send({ csv, act: "write" })).written).toEqual({ ...unchanged });
    const otherForm = await createForm(formFields);
    const imported = await otherForm.send({ csv, by: "", act: "write" });
    expect(imported.written.created).toBe(before.length);
    const copies = (await otherForm.storedItems()).map((item) => item.data);
    expect(copies.toSorted(byTitle)).toEqual(before.map((item) => item.data).toSorted(byTitle));
  });

  it.each([
    ["ja", "2026/12/02", "下書き"],
    ["de-DE", "02.12.2026", "draft"],
    ["en-US", "12/02/2026", "draft"],
  ])("imports its own download in the format of %s unchanged", async (locale, day, status) => {
    const headers = { "Accept-Language": locale };
    const formFields = [
      ...fields.filter(({ type }) => type !== "line_items"),
      { key: "day", label: "Day", type: "date" },
    ];
    const { items, storedItems } = await createForm(formFields);
    const data = { title: "A", amount: -1.5, at: "2026-12-02T08:30:00.000Z", day: "2026-12-02" };
    await admin("POST", items, { data: { ...data, tags: ["x", "y"] }, status: "draft" });
    const { text: csv } = await admin("GET", `${items}/export?format=local`, undefined, headers);
    expect(csv).toContain(day);
    expect(csv).toContain(status);
    const sendTo = async (path: string, body: object): Promise<Json> =>
      (await admin("POST", `${path}/import`, { csv, act: "write", ...body }, headers)).body;
    const unchanged = { created: 0, updated: 0, unchanged: 1, refused: 0 };
    expect((await sendTo(items, { by: "$id" })).written).toEqual(unchanged);
    const otherForm = await createForm(formFields);
    expect((await sendTo(otherForm.items, {})).written.created).toBe(1);
    const [copy] = await otherForm.storedItems();
    const [original] = await storedItems();
    expect([copy?.["data"], copy?.["status"]]).toEqual([original?.["data"], "draft"]);
  });

  it("says that rows of existing items are left out, and how to update them", async () => {
    const { items, storedItems } = await createForm();
    await admin("POST", items, { data: { title: "A" } });
    const [item] = await storedItems();
    const csv = `$id,title\n${item?.["id"]},B\n`;
    const review = async (body: object, language: string) => {
      const headers = { Accept: "text/html", "Accept-Language": language };
      return (await admin("POST", `${items}/import`, { csv, ...body }, headers)).text;
    };
    expect(await review({}, "en")).toContain("1 row of existing submissions will be left out");
    expect(await review({}, "ja")).toContain("1 行は既存の回答の行のため");
    expect(await review({ by: "$id" }, "en")).not.toContain("will be left out");
  });

  it("names the system columns of a spreadsheet in the reader's language", async () => {
    const { items } = await createForm();
    await admin("POST", items, { data: { title: "A" } });
    const headers = { "Accept-Language": "ja" };
    const read = async (format: string) =>
      (await admin("GET", `${items}/export?format=${format}`, undefined, headers)).text;
    const columns = "ID,ステータス,バージョン,作成日時,作成者,更新日時,更新者,Title,";
    expect(await read("spreadsheet")).toContain(columns);
    expect(await read("lines")).toContain(",明細,行,");
    expect(await read("spreadsheet")).toContain(",送信済み,");
  });

  it("names the line, the column, the value and what is allowed, in both languages", async () => {
    const choice = (value: string, label: string) => ({ value, label });
    const room = { key: "room", label: "Room", type: "select" };
    const { items } = await createForm([
      { ...room, options: [choice("b", "Blue"), choice("r", "Red")] },
      { key: "people", label: "People", type: "number", minimum: 1, maximum: 20 },
      { key: "day", label: "Day", type: "date" },
      { key: "tags", label: "Tags", type: "multi_select", options: [choice("a", "A")] },
    ]);
    const rows = async (language: string, act: string) => {
      const headers = { Accept: "text/html", "Accept-Language": language };
      const csv = "Room,People,Day,Tags\nGreen,0,2026-13-40,Z\nRed,5,,\n";
      const { text } = await admin("POST", `${items}/import`, { csv, act }, headers);
      return text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    };
    for (const act of ["check", "write"]) {
      const english = await rows("en", act);
      expect(english).toContain("Room “Green”: Must be one of Blue, Red.");
      expect(english).toContain("People “0”: Must be at least 1.");
      expect(english).toContain("Day “2026-13-40”: This date does not exist.");
      expect(english).toContain("Tags “Z”: Must be one of A.");
      const japanese = await rows("ja", act);
      expect(japanese).toContain("Room「Green」：次のいずれかを入力してください：Blue、Red");
      expect(japanese).toContain("People「0」：1～20 の範囲の数値を入力してください。");
    }
  });

  it("returns the rejected rows as CSV that can be corrected and imported", async () => {
    const { items, send } = await createForm();
    const csv = "title,amount\nA,1\nB,wrong\n";
    await send({ csv, act: "write" });
    const { text } = await admin("POST", `${items}/import`, { csv, act: "refused" });
    expect(text).toMatch(
      /^title,amount,Line,Rejection reason\r\nB,wrong,3,"?Amount “wrong”: .+\r\n$/,
    );
    const corrected = await send({ csv: text.replace("wrong", "2"), act: "write" });
    expect(corrected.written).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 0 });
  });

  it("returns the rejected rows with the delimiter of the file, so that numbers stay numbers", async () => {
    const { items, send } = await createForm();
    const csv = "title;amount;kind\nA, B;1,5;wrong\n";
    const { text } = await admin("POST", `${items}/import`, { csv, act: "refused" });
    const corrected = await send({ csv: text.replace("wrong", "a"), act: "write" });
    expect(corrected.written).toEqual({ created: 1, updated: 0, unchanged: 0, refused: 0 });
  });

  it.each(["en", "ja"])(
    "reads 1,201 as a number if the reader's language is %s",
    async (language) => {
      const app = await makeApp(await client(), [{ key: "price", type: "number" }]);
      const headers = { "Accept-Language": language };
      const body = { csv: 'price\n"1,201"\n"¥1,202"\n', act: "write" };
      await admin("POST", `/apps/${app}/items/import`, body, headers);
      const { items } = (await admin("GET", `/apps/${app}/items`)).body;
      expect(items.map(({ data }: Json) => data.price).toSorted()).toEqual([1201, 1202]);
    },
  );

  it("creates records with receipt numbers", async () => {
    const key = await makeApp(integrator, [{ key: "title", type: "text" }], {
      receipt_prefix: "IMP-",
    });
    const path = `/apps/${key}/items`;
    await admin("POST", `${path}/import`, { csv: "title\nA\nB\n", act: "write" });
    const { items } = (await admin("GET", path)).body;
    expect(items.map((record: Json) => record.receipt_number)).toEqual([
      "IMP-000002",
      "IMP-000001",
    ]);
  });

  it.each([
    [{}, "Choose a file"],
    [{ csv: "title\n" }, "at least one row below"],
    [{ csv: 'title\n"A' }, "Line 2"],
    [{ csv: "a,b\n1" }, "has 1 cell. The header has 2"],
    [{ csv: "title\nA", columns: ["nothing"] }, "does not exist"],
    [{ csv: "a,b\n1,2", columns: ["title", "title"] }, "Another column"],
    [{ csv: `title\n${"A\n".repeat(5001)}` }, "more than 5000 rows"],
  ])("returns invalid_input to an unreadable file: %j", async (body, reason) => {
    const { send } = await createForm();
    const rejection = await send(body);
    expect(rejection.code).toBe("invalid_input");
    expect(rejection.errors[0].reason).toContain(reason);
  });

  it("returns an error for more than 40,000 filled cells in imported columns", async () => {
    const numberFields = Array.from({ length: 100 }, (_, i) => ({ key: `n${i}`, type: "number" }));
    const { send } = await createForm(numberFields);
    const header = numberFields.map(({ key }) => key).join(",");
    const csv = `${header}\n${`${Array(100).fill("1").join(",")}\n`.repeat(401)}`;
    expect((await send({ csv })).errors?.[0].reason).toContain("At most 40000");
    const columns = numberFields.map(({ key }, i) => (i < 2 ? key : ""));
    expect((await send({ csv, columns })).would?.created).toBe(401);
  });

  it("reads a cell of many choices in time proportional to its length", () => {
    const label = `${",".repeat(199)}y`;
    const options = [
      { value: "x", label },
      { value: "z", label: "Z, the last" },
    ];
    const field = { type: "multi_select", options } as unknown as Field;
    const readCell = createCellReader(field, {
      isLossless: false,
      zone: "UTC",
      numbers: "plain",
      dates: "iso",
    });
    expect(readCell(`z; ${label},`)).toEqual(["z", "x"]);
    expect(readCell(" Z, the last ,\n")).toEqual(["z"]);
    const started = Date.now();
    readCell(",".repeat(30_000));
    readCell("z,".repeat(30_000));
    expect(Date.now() - started).toBeLessThan(1500);
  });

  it("returns 422 to a file that would not fit into the form of the next step", async () => {
    const { items } = await createForm([{ key: "title", type: "text" }]);
    const upload = async (text: string, action: string) => {
      const body = new FormData();
      body.set(
        action === "check" ? "file" : "csv",
        action === "check" ? new File([text], "x.csv") : text,
      );
      body.set("act", action);
      const headers = { Cookie: await ownerCookie(), Accept: "text/html" };
      const request = new Request(`${host}/admin${items}/import`, {
        method: "POST",
        body,
        headers,
      });
      const response = await exports.default.fetch(request);
      return [response.status, (await response.text()).includes("larger than 1 MB")];
    };
    const rows = (count: number) => `title\n${`${"a".repeat(998)}\n`.repeat(count)}`;
    expect(await upload(rows(1000), "check")).toEqual([422, true]);
    expect(await upload(rows(999), "check")).toEqual([200, false]);
    expect(await upload(rows(999).replaceAll("\n", "\r\n"), "write")).toEqual([200, false]);
  });

  it("returns 422 with an explanation to a file that is not in UTF-8", async () => {
    const { items } = await createForm();
    const body = new FormData();
    body.set("file", new File([new Uint8Array([0x74, 0x0a, 0xe4, 0x0a])], "x.csv"));
    const headers = { Cookie: await ownerCookie(), Accept: "text/html" };
    const request = new Request(`${host}/admin${items}/import`, { method: "POST", body, headers });
    const response = await exports.default.fetch(request);
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining("The file is not in UTF-8 or Shift_JIS."),
    ]);
  });

  it("returns 422 to UTF-16 and to U+0000, which the page of the review cannot repeat", async () => {
    const { send } = await createForm();
    for (const csv of ["title\nA\0B\n", "t\0i\0t\0l\0e\0\n\0A\0"]) {
      const { status, errors } = await send({ csv });
      expect([status, errors?.[0].reason]).toEqual([
        422,
        expect.stringContaining("The file is not in UTF-8 or Shift_JIS."),
      ]);
    }
  });

  it("names a field by its label as it is, also with the patterns of a replacement text", async () => {
    const app = await makeApp(integrator, [{ key: "t", label: "T", type: "text" }]);
    const { send } = await createForm([{ key: app, label: "Cost $&", type: "reference", app }]);
    const { refused } = await send({ csv: `${app}\nrec_none\n` });
    expect(refused[0].errors[0].reason).toContain("“Cost $&”");
  });

  it("finds the fields whose labels the export guards, or Windows writes in other characters", async () => {
    const { send } = await createForm([
      { key: "guests", label: "+1 guests", type: "text" },
      { key: "period", label: "Period 〜", type: "text" },
    ]);
    const { columns } = await send({ csv: "'+1 guests,Period ～\na,b\n" });
    expect(columns.map(({ field }: Json) => field)).toEqual(["guests", "period"]);
  });

  it("reads Shift_JIS, which Excel writes in Japan, and names it in the review", async () => {
    const { items } = await createForm();
    const send = async (bytes: number[], language: string) => {
      const body = new FormData();
      body.set("file", new File([new Uint8Array(bytes)], "x.csv"));
      const cookie = `${await ownerCookie()}; language=${language}`;
      const headers = { Cookie: cookie, Accept: "text/html", "Accept-Language": language };
      const request = new Request(`${host}/admin${items}/import`, {
        method: "POST",
        body,
        headers,
      });
      return (await exports.default.fetch(request)).text();
    };
    // The header “title” and the word テスト.
    const title = [0x74, 0x69, 0x74, 0x6c, 0x65, 0x0a];
    const review = await send([...title, 0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x0a], "en");
    expect(review).toContain("The file was read as Shift_JIS.");
    expect(review).toContain("テスト");
    expect(review).toContain('name="encoding" value="shift_jis"');
    // “Bätt” in a Western encoding is valid Shift_JIS, too.
    const western = await send([...title, 0x42, 0xe4, 0x74, 0x74, 0x0a], "en");
    expect(western).toContain("The file is not in UTF-8 or Shift_JIS.");
    expect(western).toContain("Could not read the file.");
  });

  it("says that a date does not exist, or how dates are written", async () => {
    const { items } = await createForm([{ key: "day", label: "Day", type: "date" }]);
    const csv = "day\n2026-13-45\n2026/2/30\n31.12.2026\nsoon\n";
    const { text } = await admin("POST", `${items}/import`, { csv }, { Accept: "text/html" });
    const reasons = [...text.matchAll(/<td class="why full"><div>([^<]*)</g)].map(
      ([, each]) => each,
    );
    expect(reasons).toEqual([
      "Day “2026-13-45”: This date does not exist.",
      "Day “2026/2/30”: This date does not exist.",
      "Day “31.12.2026”: Must be a date like 2026-12-31 or 2026/12/31.",
      "Day “soon”: Must be a date like 2026-12-31 or 2026/12/31.",
    ]);
  });

  it("says how a date with a time is written", async () => {
    const { items } = await createForm([{ key: "start", label: "Start", type: "datetime" }]);
    const csv = "start\n2026-13-45 10:00\nsoon\n";
    const { text } = await admin("POST", `${items}/import`, { csv }, { Accept: "text/html" });
    expect(text).toContain("Start “2026-13-45 10:00”: This date does not exist.");
    expect(text).toContain(
      "Start “soon”: Must be a date like 2026-12-31 or 2026/12/31, and a time like 10:00.",
    );
  });

  it("returns 409 and stores nothing when the form is closed", async () => {
    const { key, items, send, storedItems } = await createForm();
    await integrator.put(`/forms/${key}/schema`, { fields, acceptance: { state: "closed" } });
    const rejection = await send({ csv: "title\nA\n", act: "write" });
    expect(rejection.code).toBe("submissions_closed");
    expect(await storedItems()).toEqual([]);
    const page = await anonymous("POST", `/admin${items}/import`, "csv=title%0AA&act=write", {
      Cookie: await ownerCookie(),
      Accept: "text/html",
      "Content-Type": "application/x-www-form-urlencoded",
    });
    expect([page.status, page.text.includes("Try again")]).toEqual([409, true]);
  });
});

const byTitle = (a: Json, b: Json) => (a.title < b.title ? -1 : 1);
