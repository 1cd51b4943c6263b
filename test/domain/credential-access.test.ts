import { describe, expect, it } from "vitest";
import { accessSentence } from "#admin/credentials/access-sentence.ts";
import { describeAccess, type PlaceLabel } from "#admin/credentials/describe.ts";
import { catalogueOf } from "#admin/language/index.tsx";

const [english, japanese] = [catalogueOf("en"), catalogueOf("ja")];

describe("the description of a credential's access", () => {
  it.each([
    [
      ["records:read", "records:write"],
      "Read, create and edit records",
      "レコードの読み取り・作成・編集",
    ],
    [["records:read", "submissions:read"], "Read data", "データの読み取り"],
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

describe("the sentence about a credential's access", () => {
  const label = (kind: "app" | "form", key: string, name: string): PlaceLabel => ({
    kind,
    key,
    name,
    views: [
      { key: "rooms", name: "Rooms", fields: ["room"] },
      {
        key: "kyoto",
        name: "Kyoto",
        conditions: [
          { field: "people", op: "gte", value: 10 },
          { field: "room", op: "in", value: ["Kyoto", "Nara"] },
        ],
        fields: ["room", "people"],
      },
    ],
    fields: [
      { key: "room", label: "Room", type: "text" },
      { key: "people", label: "People", type: "number" },
      { key: "email", label: "Email", type: "email" },
    ] as unknown as PlaceLabel["fields"],
    names: new Map(),
  });
  const reachable = [label("form", "rooms", "Room booking"), label("app", "crm", "Customers")];

  it.each([
    [
      ["records:read", "submissions:read", "schema:read"],
      "all",
      "Can read records, submissions and definitions in all forms and apps.",
      "すべてのフォームとアプリで、レコードと回答と定義の読み取りができます。",
    ],
    [
      ["submissions:create"],
      ["form:rooms"],
      "Can create submissions in Room booking.",
      "「Room booking」で、回答の作成ができます。",
    ],
    [
      ["records:write", "submissions:read", "schema:read"],
      ["form:rooms", "app:crm"],
      "Can create and edit records, and read submissions and definitions in Room booking and Customers.",
      "「Room booking」、「Customers」で、レコードの作成・編集、回答と定義の読み取りができます。",
    ],
    [
      ["records:read", "submissions:read"],
      ["form:rooms/rooms"],
      "Can read all submissions of Room booking, and of these only Room (view “Rooms”).",
      "「Room booking」のすべての回答の読み取りができます（ビュー「Rooms」）。対象のフィールドは Room のみです。",
    ],
    [
      ["records:read", "submissions:read", "schema:read"],
      ["form:rooms/kyoto"],
      "Can read the submissions of Room booking whose People is at least 10 and Room is “Kyoto” or “Nara”, without Email (view “Kyoto”). Can read the definition.",
      "「Room booking」のうち、People が 10 以上で、Room が「Kyoto」または「Nara」の回答の読み取りができます（ビュー「Kyoto」）。Email は対象外です。定義の読み取りもできます。",
    ],
    [
      ["submissions:read"],
      ["form:rooms/gone"],
      "Has no access to Room booking, because its view was deleted.",
      "「Room booking」はビューが削除されたため、アクセスできません。",
    ],
    [
      ["records:read"],
      ["form:rooms", "app:crm"],
      "Can read records in Customers.",
      "「Customers」で、レコードの読み取りができます。",
    ],
    [
      ["schema:write"],
      ["form:rooms"],
      "Can edit definitions in Room booking.",
      "「Room booking」で、定義の編集ができます。",
    ],
    [
      ["schema:write"],
      ["form:planned"],
      "Can create and edit definitions in planned.",
      "「planned」で、定義の作成・編集ができます。",
    ],
    [
      ["schema:read"],
      ["form:rooms/gone"],
      "No access. None of its permissions apply to the selected forms and apps.",
      "選択した対象に対するアクセス権がないため、何もできません。",
    ],
    [
      ["records:read"],
      ["form:rooms/rooms", "form:b/x", "form:c/x", "form:d/x", "form:e/x", "app:crm/rooms"],
      "Can read all records of Customers, and of these only Room (view “Rooms”).",
      "「Customers」のすべてのレコードの読み取りができます（ビュー「Rooms」）。対象のフィールドは Room のみです。",
    ],
    [
      ["records:read"],
      ["form:rooms"],
      "No access. None of its permissions apply to the selected forms and apps.",
      "選択した対象に対するアクセス権がないため、何もできません。",
    ],
  ] as const)("of %j in %j is “%s” and “%s”", (permissions, resources, inEnglish, inJapanese) => {
    const access = {
      permissions: [...permissions],
      resources: resources === "all" ? resources : [...resources],
    };
    expect(accessSentence(access, reachable, english)).toBe(inEnglish);
    expect(accessSentence(access, reachable, japanese)).toBe(inJapanese);
  });

  it("says what a revoked credential could do", () => {
    const access = {
      permissions: ["submissions:read" as const],
      resources: ["form:rooms"],
      revokedAt: 1,
    };
    expect(accessSentence(access, reachable, english)).toBe(
      "Could read submissions in Room booking.",
    );
    expect(accessSentence(access, reachable, japanese)).toBe(
      "「Room booking」で、回答の読み取りができました。",
    );
  });

  it("says when a view is too long to describe", () => {
    const labels = reachable.map((each) => ({ ...each, views: [], omits: "all" as const }));
    const access = {
      permissions: ["submissions:write" as const],
      resources: ["form:rooms/kyoto"],
    };
    expect(accessSentence(access, labels, english)).toBe(
      "Can create and edit a part of the submissions of Room booking. Its view is too long to describe here.",
    );
    expect(accessSentence(access, labels, japanese)).toBe(
      "「Room booking」の回答の一部の作成・編集ができます。ビューが長いため、ここには内容を表示できません。",
    );
  });

  it("names at most four apps and forms", () => {
    const resources = ["a", "b", "c", "d", "e", "f"].map((key) => `app:${key}`);
    expect(accessSentence({ permissions: ["records:read"], resources }, [], english)).toBe(
      "Can read records in a, b, c, d and 2 more.",
    );
  });
});
