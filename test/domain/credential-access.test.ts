import { describe, expect, it } from "vitest";
import { describeAccess } from "#admin/credentials/describe.ts";
import { catalogueOf } from "#admin/language/index.tsx";

const [english, japanese] = [catalogueOf("en"), catalogueOf("ja")];

describe("the description of a credential's access", () => {
  it.each([
    [["records:read", "records:write"], "Read, write records", "レコードの読み取り・書き込み"],
    [["records:read", "submissions:read"], "Read", "データの読み取り"],
    [
      ["submissions:create", "schema:write"],
      "Create submissions, edit definitions",
      "回答の作成、定義の編集",
    ],
    [["schema:write"], "Edit definitions", "定義の編集"],
    [["schema:read", "webhooks:manage"], "Read definitions", "定義の読み取り"],
    [["webhooks:manage"], "Manage webhooks", "Webhook の管理"],
  ] as const)("summarizes %j as “%s” and “%s”", (permissions, inEnglish, inJapanese) => {
    const access = { permissions: [...permissions], resources: "all" as const };
    expect(describeAccess(access, english)).toBe(`${inEnglish} · All forms and apps`);
    expect(describeAccess(access, japanese)).toBe(`すべてのフォームとアプリ：${inJapanese}`);
  });

  it.each([
    [["form:a", "form:b", "app:crm"], "2 forms, 1 app", "フォーム 2 件、アプリ 1 件"],
    [["form:a/own"], "Part of 1 form", "フォーム 1 件の一部"],
    [["form:a/own", "form:b"], "2 forms (1 in part)", "フォーム 2 件（うち 1 件は一部のみ）"],
  ])("summarizes %j as “%s” and “%s”", (resources, inEnglish, inJapanese) => {
    expect(describeAccess({ permissions: [], resources }, english)).toBe(
      `No permissions · ${inEnglish}`,
    );
    expect(describeAccess({ permissions: [], resources }, japanese)).toBe(
      `${inJapanese}：アクセス権なし`,
    );
  });

  it("names no permission for the token of a disabled member, which has none", () => {
    expect(describeAccess({ permissions: [], resources: ["app:crm"] }, english)).toBe(
      "No permissions · 1 app",
    );
  });
});
