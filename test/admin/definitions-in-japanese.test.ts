import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { admin, client, freshKey, issue, makeApp, makeForm, ownerCookie } from "../support/service";
import { createWebhook, Receiver } from "../webhooks/receiver";
import { englishWords } from "./english-words";

const japanese = { Accept: "text/html", "Accept-Language": "ja" };
const get = async (path: string) => (await admin("GET", path, undefined, japanese)).text;
const post = (path: string, body: object) => admin("POST", path, body, japanese);

/** The page that follows a form. */
async function follow(path: string, body: object): Promise<string> {
  const { status, headers } = await post(path, body);
  expect(status).toBe(303);
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  const Cookie = [await ownerCookie(), ...cookies].join("; ");
  const next = headers.get("Location")?.slice("/admin".length) ?? "";
  return (await admin("GET", next, undefined, { ...japanese, Cookie })).text;
}

const fields = [
  { key: "n", label: "NAME", type: "text", required: true, max_length: 20, searchable: false },
  { key: "k", label: "KIND", type: "select", options: [{ value: "A" }, { value: "B" }] },
  { key: "a", label: "AMOUNT", type: "number", unique: true, decimals: 2 },
  {
    key: "l",
    label: "LINES",
    type: "line_items",
    fields: [{ key: "q", label: "QTY", type: "number" }],
  },
  { key: "f", label: "FILES", type: "files", max_files: 2 },
  { key: "c", label: "SUM", type: "computed", formula: "a * 2", result: "number" },
];

let owner: Client;
let form: string;
let app: string;
beforeAll(async () => {
  owner = await client();
  const views = [{ key: "v", name: "VIEW", conditions: [{ field: "a", op: "lt", value: 5 }] }];
  form = await makeForm(owner, fields, {
    name: "FORM",
    views,
    acceptance: { state: "open", closes_at: "2100-01-01T00:00:00.000Z", max_submissions: 1 },
  });
  app = await makeApp(owner, fields, { name: "APP" });
  for (const description of ["ONE", "TWO"])
    await owner.patch(`/forms/${form}/schema`, { description });
  await owner.patch(`/forms/${form}/schema`, { fields: { remove: ["k"] } });
  await issue({ name: "TOKEN", permissions: ["submissions:read"], resources: [`form:${form}/v`] });
  await createWebhook(owner, new Receiver(), { name: "HOOK", collections: [`form:${form}`] });
});

describe("The pages of definitions in Japanese", () => {
  it.each(["/forms", "/apps", "/forms?new", "/apps?new", "/deleted"])(
    "have no English words at %s",
    async (path) => {
      expect(englishWords(await get(path))).toEqual([]);
    },
  );

  it.each(["", "/settings", "/access", "/access?preset=report", "/changes", "/api", "/json"])(
    "have no English words at %j of a form and an app",
    async (path) => {
      expect(englishWords(await get(`/forms/${form}${path}`))).toEqual([]);
      expect(englishWords(await get(`/apps/${app}${path}`))).toEqual([]);
    },
  );

  it.each(["/changes/2", "/delete"])("have no English words at %s of a form", async (path) => {
    expect(englishWords(await get(`/forms/${form}${path}`))).toEqual([]);
  });
});

describe("The editor in Japanese", () => {
  it("names a field without a label by its type, and derives the key in English", async () => {
    const key = freshKey("named");
    const draft = { name: "FORM", key, "fields[0].type": "multiline_text" };
    const page = await follow("/forms", { ...draft, do: "save" });
    expect(page).toContain("フォームを作成しました");
    const { body } = await admin("GET", `/forms/${key}`);
    expect(body.fields).toMatchObject([{ key: "long_text", label: "複数行テキスト" }]);
    const english = { ...draft, key: freshKey("named") };
    await admin("POST", "/forms", { ...english, do: "save" });
    const { body: other } = await admin("GET", `/forms/${english.key}`);
    expect(other.fields).toMatchObject([{ key: "long_text", label: "Long text" }]);
  });

  it("asks for a key at once where a label or the name gives none", async () => {
    const check = async (draft: object) => (await post("/forms?draft", draft)).text;
    const draft = { "fields[0].type": "text", "fields[0].label": "お名前" };
    const asks = "「お名前」のキーを、半角の英小文字で";
    const text = await check({ ...draft, name: "顧客" });
    expect(text).toContain("「顧客」のキーを、半角の英小文字で");
    expect(text).toContain(asks);
    expect(text).toContain('<details class="more" open="" data-asks-key="">');
    for (const answered of [{ "fields[0].key": "name" }, { "fields[0].label": "しめい Name" }]) {
      const next = await check({ ...draft, ...answered });
      expect(next).not.toContain(asks);
      expect(next).not.toContain("data-asks-key");
    }
  });

  it("derives the key of a copy from the copied field", async () => {
    const { text } = await post("/forms?draft", {
      name: "FORM",
      "fields[0].type": "number",
      "fields[0].key": "kingaku",
      "fields[0].label": "金額",
      do: "copy:0",
    });
    expect(text).toContain('value="金額（コピー）"');
    expect(text).toContain('value="kingaku_copy"');
  });

  it("explains the errors of fields and formulas in Japanese, when they are typed and saved", async () => {
    const draft = {
      name: "FORM",
      key: freshKey("wrong"),
      "fields[0].type": "number",
      "fields[0].label": "人数",
      "fields[0].maximum": "abc",
      "fields[1].type": "number",
      "fields[1].label": "金額",
      "fields[1].minimum": "９",
      "fields[1].maximum": "5",
      "fields[2].type": "text",
      "fields[2].key": "Ａ b",
      "fields[2].label": "名前",
      "fields[3].type": "computed",
      "fields[3].label": "合計",
      "fields[3].result": "number",
      "fields[3].formula": "nothing + 1",
    };
    for (const action of ["check", "save"]) {
      const { text } = await post("/forms", { ...draft, do: action });
      expect(text).toContain("数値を入力してください。");
      expect(text).toContain("先頭は英小文字にしてください。");
      expect(text).not.toMatch(/Must (be|not|match)/);
    }
    const valid = { ...draft, "fields[0].maximum": "9", "fields[2].key": "b" };
    for (const action of ["check", "save"]) {
      const { text } = await post("/forms", { ...valid, do: action });
      expect(text).toContain("最大値（5）以下の数値を入力してください。");
      expect(text).not.toMatch(/Must (be|not|match)/);
    }
    const { text } = await post("/forms", { ...valid, "fields[1].minimum": "1", do: "save" });
    expect(text).toContain("「nothing」というフィールドはありません。");
  });

  it("says in Japanese what to fix, and what saving does", async () => {
    const japaneseName = { name: "けいひ", "fields[0].type": "text", "fields[0].label": "金額" };
    const keys = (await post("/forms", { ...japaneseName, do: "save" })).text;
    expect(keys).toContain("1 件のエラーを修正してください。");
    expect(keys).toContain(
      "「けいひ」のキーを、半角の英小文字で始まる英数字で入力してください。例：keihi",
    );
    const unnamed = { "fields[0].type": "text", "fields[0].label": "なまえ", do: "save" };
    const { status, text } = await post("/forms", unnamed);
    expect(status).toBe(422);
    expect(text).toContain("名前を入力してください。");
    const taken = await post("/forms", { name: "FORM", key: form, do: "save" });
    expect(taken.text).toContain(`キー ${form} のフォームはすでに存在します。`);
    const plain = await makeForm(owner, fields);
    const version = (await admin("GET", `/forms/${plain}`)).body.schema_version;
    const hiding = { version, "fields[0].type": "text", "fields[0].was": "n" };
    const changes = { ...hiding, "fields[0].key": "n", "fields[0].label": "NAME" };
    const review = (await post(`/forms/${plain}/fields?draft`, { ...changes, do: "check" })).text;
    expect(review).toContain("<strong>AMOUNT</strong>を削除します。");
    const refused = (await post(`/forms/${plain}/fields`, { ...changes, do: "save" })).text;
    expect(refused).toContain("「KIND」「AMOUNT」「LINES」「FILES」「SUM」と保存済みのデータ");
    const late = (await post(`/forms/${plain}/fields`, { ...changes, version: 9, do: "save" }))
      .text;
    expect(late).toContain("ほかのユーザーが変更したため、保存されていません。");
  });

  it("explains formulas", async () => {
    const { text } = await post("/forms?draft", {
      name: "FORM",
      "fields[0].type": "number",
      "fields[0].label": "AMOUNT",
      "fields[1].type": "computed",
      "fields[1].formula": "amount *",
      "fields[1].result": "number",
      do: "check",
    });
    expect(text).toContain(" 文字目：");
    expect(text).toContain("例：amount * 2");
  });
});

describe("The errors of formulas in Japanese", () => {
  const draft = {
    name: "FORM",
    "fields[0].type": "text",
    "fields[0].label": "NAME",
    "fields[1].type": "number",
    "fields[1].label": "AMOUNT",
    "fields[2].type": "line_items",
    "fields[2].label": "LINES",
    "fields[2].fields[0].type": "number",
    "fields[2].fields[0].label": "QTY",
    "fields[3].type": "computed",
    "fields[3].result": "number",
    do: "check",
  };

  it.each([
    "name + amount",
    "name - amount",
    "name * 2",
    "2 / name",
    "name % 2",
    "name in name",
    "amount < name",
    "-name",
    "!amount",
    "amount && true",
    "amount ? 1 : 2",
    "amount > 1 ? 1 : name",
    "sum(name)",
    "name.size(1)",
    "sum()",
    "name",
    "lines",
    "price",
    "amont",
    "sum(lines.map(l, l.price))",
    "sum(lines.filter(l, true).map(l, l.qty))",
    "lines.all(l, lines.all(m, true))",
    "amount.map(l, l)",
    "lines.map(1, 2)",
    "lines[name]",
    "name.qty",
    "[1, name]",
    "coalesce(name, amount)",
    "amount +",
    "amount # 2",
    "(amount",
    "'open",
    "for",
    "{'a': 1}",
    Array.from({ length: 200 }, () => "1").join("+"),
  ])("have no English words for %j", async (formula) => {
    const { text } = await post("/forms?draft", { ...draft, "fields[3].formula": formula });
    const [, error = ""] = /id="f-fields-3--formula-wrong"[^>]*>(.*?)例：/.exec(text) ?? [];
    expect(error).not.toBe("");
    const words = error.replaceAll(/&\w+;|\w+\(.*?\)|「\w*」/g, " ");
    expect(words.match(/[A-Za-z]{2,}/g)).toBeNull();
  });
});

describe("Other forms of definitions in Japanese", () => {
  it("confirm and refuse in Japanese", async () => {
    const version = (await admin("GET", `/forms/${form}/settings`)).body.schema_version;
    const settings = { version, name: "FORM", state: "closed" };
    expect(await follow(`/forms/${form}/settings`, settings)).toContain("設定を保存しました");
    const json = await post(`/forms/${form}/json`, { version, document: "{" });
    expect(json.text).toContain("JSON の形式が正しくありません。");
    const part = await post(`/forms/${form}/access`, { items: "none", fields: ["n"] });
    expect(part.text).toContain("1 つ選択してください。");
    const key = await makeForm(owner, fields, { name: "GONE" });
    const list = await follow(`/forms/${key}/delete`, { confirm: key });
    expect(list).toContain(`「GONE」を削除しました。7 日以内は復元できます。`);
    expect(englishWords(list)).toEqual([]);
  });
});
