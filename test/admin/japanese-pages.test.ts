import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { admin, anonymous, client, freshKey, makeForm, ownerCookie } from "../support/service";
import { englishWords } from "./english-words";
import { createMember, type Person } from "./people";

const fields = [
  { key: "subject", label: "件名", type: "text", required: true, max_length: 8 },
  { key: "email", label: "連絡先", type: "email" },
  { key: "amount", label: "金額", type: "number", minimum: 1, maximum: 10 },
  {
    key: "kind",
    label: "種類",
    type: "select",
    required: true,
    options: [{ value: "a", label: "備品" }],
  },
  { key: "agreed", label: "同意", type: "boolean" },
  {
    key: "rows",
    label: "明細",
    type: "line_items",
    fields: [{ key: "qty", label: "数量", type: "number", integer: true }],
  },
];

let person: Person;
let integrator: Client;
let items: string;

beforeAll(async () => {
  await ownerCookie();
  person = await createMember("owner");
  await person.send("POST", "/account/name", { name: "森" });
  integrator = await client();
  const form = await makeForm(integrator, fields, { name: "備品の申請" });
  items = `/forms/${form}/items`;
});

const headers = () => ({
  Accept: "text/html",
  "Accept-Language": "ja",
  Cookie: `${person.cookie}; zone=UTC`,
});

const pageOf = async (path: string) =>
  (await anonymous("GET", `/admin${path}`, undefined, headers())).text;

/** Submits a form and returns the page that a browser shows then. */
async function submit(path: string, values: Record<string, string>) {
  const answer = await anonymous("POST", `/admin${path}`, values, headers());
  const to = answer.headers.get("Location");
  if (to === null) return answer.text;
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  const Cookie = [headers().Cookie, ...cookies].join("; ");
  return (await anonymous("GET", to, undefined, { ...headers(), Cookie })).text;
}

async function createItem(): Promise<string> {
  const data = { subject: "机", kind: "a", amount: 2, agreed: true, rows: [{ qty: 12 }] };
  const { body } = await integrator.post(`${items.replace("/items", "")}/submissions`, { data });
  return `${items}/${body.id}`;
}

describe("A page in Japanese has no English words:", () => {
  it("the form of an item, empty and with errors", async () => {
    expect(englishWords(await pageOf(`${items}/new`))).toEqual([]);
    const text = await submit(items, {
      $status: "submitted",
      $zone: "UTC",
      subject: "123456789",
      email: "nobody",
      amount: "11",
      "rows[0].qty": "1.5",
    });
    expect(englishWords(text.replaceAll("nobody", ""))).toEqual([]);
    expect(text).toContain("保存できませんでした。5 件のエラーを修正してください。");
    expect(text).toContain("8 文字以内で入力してください。");
    expect(text).toContain("正しいメールアドレスを入力してください。");
    expect(text).toContain("1～10 の範囲の数値を入力してください。");
    expect(text).toContain("選択してください。");
    expect(text).toContain("数量（1 行目）</a>：整数を入力してください。");
  });

  it("a page that does not exist", async () => {
    const japanese = { Accept: "text/html", "Accept-Language": "ja" };
    const { status, text } = await admin("GET", "/forms/nothing/items", undefined, japanese);
    expect(status).toBe(404);
    expect(text).toContain("ページが見つかりません");
    expect(text).toContain('lang="ja"');
  });

  it("a list whose filter is refused", async () => {
    const text = await pageOf(`${items}?f.amount.gt=abc`);
    expect(englishWords(text.replaceAll("abc", ""))).toEqual([]);
    expect(text).toContain("金額：数値を入力してください。");
  });

  it("an item with its history", async () => {
    const path = await createItem();
    const form = await pageOf(`${path}?edit`);
    expect(englishWords(form)).toEqual([]);
    const saved = await submit(path, { version: "1", subject: "椅子", "rows[0].qty": "14" });
    expect(saved).toContain("変更履歴");
    expect(saved).toMatch(/更新：あなた（/);
    expect(saved).toContain("1 行目：");
    expect(englishWords(saved)).toEqual([]);
    const closed = await submit(`${path}/close`, { $version: "2" });
    expect(closed).toContain("この回答はクローズ済みです。");
    expect(englishWords(closed)).toEqual([]);
    const stale = await submit(`${path}/reopen`, { $version: "1" });
    expect(stale).toContain("ほかのユーザーが先に変更したため、保存されませんでした。");
    expect(englishWords(stale)).toEqual([]);
  });

  it("the choice between two values of a field", async () => {
    const path = await createItem();
    const form = await pageOf(`${path}?edit`);
    const seen = /name="\$seen" value="([^"]*)"/.exec(form)?.[1]?.replaceAll("&quot;", '"') ?? "";
    await admin("PATCH", path, { data: { subject: "棚" } });
    await integrator.patch(`/submissions/${path.split("/").at(-1)}`, { data: { subject: "棚" } });
    const text = await submit(path, { $seen: seen, $zone: "UTC", subject: "椅子", kind: "a" });
    expect(text).toContain("保存されていません。編集中に「件名」が変更されました。");
    expect(text).toContain("保存済みの値");
    expect(englishWords(text)).toEqual([]);
  });

  it("members and invitations", async () => {
    const email = `${freshKey("colleague")}@forms.example`;
    const invited = await submit("/members", { email, role: "editor" });
    expect(invited).toContain("招待を作成しました。");
    expect(englishWords(invited)).toEqual([]);
    expect(await submit("/members", { email: "nobody", role: "editor" })).toContain(
      "正しいメールアドレスを入力してください。",
    );
    const taken = await submit("/members", { email: person.email, role: "editor" });
    expect(taken).toContain("このメールアドレスはすでにメンバーのものです。");
    const last = await submit(`/members/${person.id}/reset`, {});
    expect(last).toContain("パスワード再設定リンク");
  });

  it("“Find anything” and the search for a person", async () => {
    const found = await pageOf(`/search?q=${encodeURIComponent("メンバー")}`);
    expect(found).toContain('href="/admin/members"');
    expect(englishWords(found)).toEqual([]);
    expect(englishWords(await pageOf("/search?q=%E3%81%AA%E3%81%97"))).toEqual([]);
    expect(englishWords(await pageOf("/search"))).toEqual([]);
    const short = await submit("/people", { text: "森" });
    expect(short).toContain("3 文字以上で入力してください。");
    const started = await submit("/people", { text: "森 明子" });
    expect(englishWords(started)).toEqual([]);
    expect(englishWords(await pageOf("/people"))).toEqual([]);
  });
});
