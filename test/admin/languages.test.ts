import { beforeAll, describe, expect, it } from "vitest";
import { anonymous, ownerCookie } from "../support/service";
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

  it("belongs to one request: concurrent requests get their own", async () => {
    const requests = ["ja", "en", "ja", "en", "de", "ja"];
    const pages = await Promise.all(requests.map((language) => pageOf("/account", language)));
    expect(pages.map((html) => /<h1>([^<]*)/.exec(html)?.[1])).toEqual(
      requests.map((language) => (language === "ja" ? "個人設定" : "Your account")),
    );
  });

  it("decides how dates and distances are written", async () => {
    expect(await pageOf("/account", "ja")).toMatch(/たった今|分前/);
    expect(await pageOf("/account", "ja")).toMatch(/\d{4}\/\d{2}\/\d{2} \d{1,2}:\d{2}/);
    expect(await pageOf("/account", "ja,en", ["language=en"])).toMatch(
      /\d{1,2} [A-Z][a-z]+ \d{4}, \d{2}:\d{2}/,
    );
  });

  it("refuses a language that the area does not have", async () => {
    const { status } = await person.send("POST", "/preferences", { language: "xx" });
    expect(status).toBe(422);
  });
});
