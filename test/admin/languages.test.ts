import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { anonymous, client, makeApp, makeForm, ownerCookie } from "../support/service";
import { copyItem } from "../support/copies";
import { englishWords } from "./english-words";
import { createMember, type Person } from "./people";

let person: Person;
beforeAll(async () => {
  await ownerCookie();
  person = await createMember("admin");
});

/** The page that a browser with these languages and cookies gets. */
async function pageOf(path: string, languages: string, cookies: readonly string[] = []) {
  const { text } = await anonymous("GET", `/admin${path}`, undefined, {
    Accept: "text/html",
    "Accept-Language": languages,
    Cookie: [person.cookie, ...cookies].join("; "),
  });
  return text;
}

/** Submits a form of the area as a browser does. Returns the cookies that it sets. */
async function submit(path: string, form: Record<string, string>, languages: string) {
  const { headers } = await anonymous("POST", `/admin${path}`, form, {
    Accept: "text/html",
    "Accept-Language": languages,
    Cookie: person.cookie,
  });
  return headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
}

describe("The language of a page", () => {
  it("is that of the browser, and English for languages that the area does not have", async () => {
    const japanese = await pageOf("", "ja-JP,ja;q=0.9,en;q=0.8");
    expect(japanese).toContain('<html lang="ja"');
    expect(japanese).toContain("<h1>ホーム</h1>");
    expect(japanese).toContain("個人設定");
    expect(japanese).not.toContain("Overview");
    const german = await pageOf("", "de-DE");
    expect(german).toContain('<html lang="en"');
    expect(german).toContain("<h1>Overview</h1>");
  });

  it("is the one that the member chose, whatever the browser sends", async () => {
    const english = await submit("/preferences", { language: "en", back: "/admin" }, "ja");
    expect(await pageOf("/account", "ja", english)).toContain("<h1>Your account</h1>");
    const japanese = await submit("/preferences", { language: "ja", back: "/admin" }, "en");
    expect(await pageOf("/account", "en", japanese)).toContain("<h1>個人設定</h1>");
    const none = await submit("/preferences", { language: "", back: "/admin" }, "ja");
    expect(await pageOf("/account", "ja", none)).toContain("<h1>個人設定</h1>");
    expect(await pageOf("/account", "ja", ["language=xx"])).toContain("<h1>個人設定</h1>");
  });

  it("is the member's in every browser, and that of the cookie only before the first choice", async () => {
    const member = await createMember("viewer");
    const inBrowser = async (cookies: readonly string[]) => {
      const { text, headers } = await anonymous("GET", "/admin/account", undefined, {
        Accept: "text/html",
        "Accept-Language": "en",
        Cookie: [member.cookie, ...cookies].join("; "),
      });
      const repeated = headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
      return { title: /<h1>([^<]*)/.exec(text)?.[1], repeated };
    };
    expect((await inBrowser(["language=ja"])).title).toBe("個人設定");
    await member.send("POST", "/preferences", { language: "ja" });
    // A page without a session, such as the sign-in page, follows the cookie.
    expect(await inBrowser([])).toEqual({ title: "個人設定", repeated: ["language=ja"] });
    expect(await inBrowser(["language=en"])).toMatchObject({ title: "個人設定" });
    expect(await inBrowser(["language=ja"])).toEqual({ title: "個人設定", repeated: [] });
    await member.send("POST", "/preferences", { language: "" });
    expect(await inBrowser(["language=ja"])).toEqual({
      title: "Your account",
      repeated: ["language="],
    });
  });

  it("is known before sign-in", async () => {
    const answer = await anonymous("GET", "/admin/sign-in", undefined, {
      Accept: "text/html",
      "Accept-Language": "ja",
    });
    expect(answer.text).toContain('<html lang="ja"');
    expect(answer.text).toContain("<h1>ログイン</h1>");
    const failed = await anonymous(
      "POST",
      "/admin/sign-in",
      { email: "nobody@forms.example", password: "wrong" },
      { Accept: "text/html", "Accept-Language": "ja" },
    );
    expect(failed.text).toContain("メールアドレスまたはパスワードが正しくありません。");
  });

  it("is that of confirmations and errors, too", async () => {
    const cookies = await submit("/account/zone", { zone: "Asia/Tokyo" }, "ja");
    expect(await pageOf("/account", "ja", cookies)).toContain("タイムゾーンを保存しました");
    const { text } = await anonymous(
      "POST",
      "/admin/account/password",
      { current: "wrong", password: "a password of some length" },
      { Accept: "text/html", "Accept-Language": "ja", Cookie: person.cookie },
    );
    expect(text).toContain("保存できませんでした。1 件のエラーを修正してください。");
    expect(text).toContain("パスワードが正しくありません。");
  });

  it("is confirmed in the chosen language after it was chosen", async () => {
    const cookies = await submit("/account/language", { language: "ja" }, "en");
    expect(await pageOf("/account", "en", cookies)).toContain("言語を保存しました");
    await submit("/account/language", { language: "" }, "en");
  });

  it("belongs to one request: concurrent requests get their own", async () => {
    const requests = ["ja", "en", "ja", "en", "de", "ja"];
    const pages = await Promise.all(requests.map((language) => pageOf("/account", language)));
    expect(pages.map((html) => /<h1>([^<]*)/.exec(html)?.[1])).toEqual(
      requests.map((language) => (language === "ja" ? "個人設定" : "Your account")),
    );
  });

  it("decides how dates and distances are written", async () => {
    const creator = await client();
    const key = await makeForm(creator, [{ key: "n", type: "number" }]);
    await creator.post(`/forms/${key}/submissions`, { data: { n: 1 } });
    expect(await pageOf(`/forms/${key}/items`, "ja")).toMatch(/たった今|分前/);
    expect(await pageOf("/account", "ja")).toMatch(/\d{4}\/\d{2}\/\d{2} \d{1,2}:\d{2}/);
    expect(await pageOf("/account", "en")).toMatch(/\d{1,2} [A-Z][a-z]+ \d{4}, \d{2}:\d{2}/);
  });

  it("refuses a language that the area does not have", async () => {
    const { status } = await person.send("POST", "/preferences", { language: "xx" });
    expect(status).toBe(422);
  });
});

describe("Numbers and months", () => {
  it("are written as the reader's locale does, in texts, tables and charts", async () => {
    const creator = await client();
    const fields = [{ key: "amount", type: "number", decimals: 2 }];
    const key = await makeForm(creator, fields);
    const path = `/forms/${key}/submissions`;
    const { body } = await creator.post(path, { data: { amount: 1234.5 } });
    await copyItem(body.id, 1499);
    const pageIn = async (page: string, languages: string) =>
      (await pageOf(`/forms/${key}/${page}`, languages)).replaceAll(/<[^>]*>/g, " ");
    expect(await pageIn("items", "en-GB")).toContain("1,500 submissions");
    expect(await pageIn("items", "de-DE")).toContain("1.500 submissions");
    expect(await pageIn("items", "de-DE")).toContain("1.234,50");
    expect(await pageIn("summary", "de-DE")).toMatch(/\D+ 20\d\d: 1\.500/);
    expect(await pageIn("summary", "fr-FR")).toMatch(/1\s500 submissions/);
    expect(await pageIn("items", "ja")).toContain("1,500");
  });
});

describe("The time zone of a member", () => {
  it("applies in every browser, also to the days of a list that is read early", async () => {
    const member = await createMember("editor");
    const creator = await client();
    const key = await makeForm(creator, [{ key: "on", type: "datetime" }]);
    await creator.post(`/forms/${key}/submissions`, { data: { on: "2026-11-20T20:00:00Z" } });
    const list = async (cookies: readonly string[] = []) => {
      const cookie = [member.cookie, ...cookies].join("; ");
      const path = `/admin/forms/${key}/items?f.on.eq=2026-11-21`;
      return (await anonymous("GET", path, undefined, { Cookie: cookie })).body.items;
    };
    expect(await list()).toEqual([]);
    await member.send("POST", "/account/zone", { zone: "Asia/Tokyo" });
    expect((await member.send("GET", "/account")).body).toMatchObject({
      zone: "Asia/Tokyo",
      language: null,
    });
    expect(await list()).toHaveLength(1);
    expect(await list(["zone=UTC"])).toHaveLength(1);
    const { text } = await anonymous("GET", `/admin/forms/${key}/items`, undefined, {
      Accept: "text/html",
      "Accept-Language": "en-GB",
      Cookie: member.cookie,
    });
    expect(text).toContain("21 Nov 2026, 05:00");
  });
});

describe("Lists, bulk actions and summaries in Japanese", () => {
  const fields = [
    { key: "name", label: "NAME", type: "text" },
    { key: "kind", label: "KIND", type: "select", options: ["A", "B"].map((value) => ({ value })) },
    { key: "tags", label: "TAGS", type: "multi_select", options: [{ value: "A" }] },
    { key: "amount", label: "AMOUNT", type: "number" },
    { key: "day", label: "DAY", type: "date" },
    { key: "good", label: "GOOD", type: "boolean" },
  ];
  let integrator: Client;
  let form: string;
  let app: string;
  let ids: string[];
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, fields, { name: "FORM" });
    app = await makeApp(integrator, fields, { name: "APP" });
    const operations = Array.from({ length: 51 }, (_, i) => ({
      op: "create",
      data: { name: `N${i}`, kind: "A", amount: i, day: "2026-01-01", good: true },
    }));
    const created = await integrator.post(`/forms/${form}/submissions/batch`, { operations });
    ids = created.body.results.map(({ id }: { id: string }) => id);
    await integrator.post(`/apps/${app}/records/batch`, { operations });
  });

  it.each([
    "/items",
    "/items?sort=name&direction=desc",
    "/items?q=N4",
    "/items?f.kind.in=A&f.kind.in=B&f.amount.gte=1&f.day.days=-7&f.good.eq=true&empty=name",
    '/items?conditions=[{"field":"amount","op":"gt","value":1}]',
    ...["kind", "tags", "amount", "day", "good", "name", "$status", "$created_by", "$json"].map(
      (field) => `/items?add=${field}`,
    ),
    "/summary",
    "/summary?from=2025-01&to=2025-02",
  ])("have no English words at %s", async (path) => {
    expect(englishWords(await pageOf(`/forms/${form}${path}`, "ja"))).toEqual([]);
    if (path.includes("$status")) return;
    expect(englishWords(await pageOf(`/apps/${app}${path}`, "ja"))).toEqual([]);
  });

  it("ask and report in Japanese", async () => {
    const act = async (body: object) =>
      (
        await anonymous("POST", `/admin/forms/${form}/items/selected`, body, {
          Accept: "text/html",
          "Accept-Language": "ja",
          Cookie: person.cookie,
        })
      ).text;
    const all = { all: "yes", search: "f.amount.lt=3" };
    const question = await act({ act: "close", ...all });
    expect(question).toContain("回答 3 件をクローズしますか？");
    expect(question).toContain("AMOUNT が 3 未満");
    expect(await act({ act: "edit", ...all })).toContain("回答 3 件を編集");
    const value = await act({ act: "edit", field: "kind", ...all });
    expect(value).toContain("回答 3 件の「KIND」を変更しますか？");
    const cookies = await submit(
      `/forms/${form}/items/selected`,
      { act: "close", sure: "yes", ids: ids[0] ?? "" },
      "ja",
    );
    const list = await pageOf(`/forms/${form}/items`, "ja", cookies);
    expect(list).toContain("回答 1 件をクローズしました");
    const some = await act({ act: "close", ids: ids.slice(0, 2) });
    expect(some).toContain("回答 2 件のうち、下書きとクローズ済みの回答 1 件は対象外です。");
    const erasure = await pageOf(`/forms/${form}/items/${ids[2]}/erase`, "ja");
    expect(erasure).toContain("<h1>「N2」を完全に削除</h1>");
  });
});
