import { describe, expect, it } from "vitest";
import { negotiateLanguage, negotiateLocale } from "#domain/language.ts";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import { type FieldErrorCode, fieldErrorCodes } from "#domain/problem/field-errors.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { FieldFacts } from "#admin/language/field-facts.ts";
import { catalogueOf } from "#admin/language/index.tsx";

describe("The language of the administration area", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["ja", "ja"],
    ["ja-JP,ja;q=0.9,en-US;q=0.8", "ja"],
    ["en;q=0.5, JA;q=0.8", "ja"],
    ["en,ja", "en"],
    ["de-DE,de;q=0.9,ja;q=0.5,en;q=0.3", "ja"],
    ["de,fr", "en"],
    ["ja;q=0, en", "en"],
    ["ja;q=0", "en"],
    ["ja;q=2", "en"],
    ["*", "en"],
    ["*;q=0.1, ja", "ja"],
    ["ja; q=0.8 , en ;q=0.9", "en"],
    [";;;,,=,ja_JP", "en"],
    [`${"x,".repeat(5000)}ja`, "en"],
  ])("is for Accept-Language %j: %s", (header, language) => {
    expect(negotiateLanguage(header)).toBe(language);
  });

  it.each([
    ["en", "en", "en-GB"],
    ["en", "en-US,en;q=0.9", "en-US"],
    ["en", "de-DE,de;q=0.9,en;q=0.3", "de-DE"],
    ["en", "ja-JP,ja;q=0.9", "en-GB"],
    ["en", "ja-JP,en-US;q=0.8", "en-US"],
    ["ja", "ja-JP,en", "ja-JP"],
    ["ja", "de-DE,ja;q=0.5", "ja"],
    ["ja", "en-US", "ja"],
    ["ja", undefined, "ja"],
  ] as const)("formats dates in %s for a browser of %j like %s", (language, header, locale) => {
    expect(negotiateLocale(language, header)).toBe(locale);
  });
});

describe("A field error in Japanese", () => {
  const english = { reason: "Must be different.", field: "x", pointer: "/data/x" };
  const limits = ["minimum", "maximum", "min_length", "max_length", "min_rows", "max_rows"];
  const details = Object.fromEntries([...limits, "decimals", "max_files"].map((name) => [name, 7]));
  const explain = (code: FieldErrorCode, field?: FieldFacts, more: object = details) =>
    catalogueOf("ja").problems.reason({ ...english, ...more, code }, field);

  it.each(fieldErrorCodes)("is a Japanese sentence for %s, with and without details", (code) => {
    const more = { ...details, accept: ["image/png"] };
    for (const sentence of [explain(code, { type: "text" }, more), explain(code, undefined, {})]) {
      expect(sentence).toMatch(/[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}].*。$|：PNG$/u);
      expect(sentence).not.toContain(english.reason);
    }
  });

  it.each(Object.keys(problems) as ProblemCode[])("exists for the whole problem %s", (code) => {
    const detail = catalogueOf("ja").problems.detail(new Problem(code, "The API says this."));
    expect(detail).toMatch(/[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}].*。$/u);
  });

  it("follows the type and the limits of the field", () => {
    expect(explain("invalid_format", { type: "email" })).toContain("メールアドレス");
    expect(explain("required", { type: "select" })).toBe("選択してください。");
    const range = { type: "number", minimum: 1, maximum: 10 };
    expect(explain("too_large", range, { maximum: 10 })).toBe(
      "1～10 の範囲の数値を入力してください。",
    );
    expect(explain("too_large", { type: "number" }, { maximum: 10 })).toBe(
      "10 以下の数値を入力してください。",
    );
    expect(explain("too_large", { type: "files" }, { maximum: 10 })).toContain("サイズ");
  });

  it("names no limit if the error lacks it", () => {
    expect(explain("too_long", { type: "text" }, {})).toBe("入力が長すぎます。");
  });
});

/** The texts of a catalogue by their paths; functions have none. */
function textsOf(part: object, path = ""): [path: string, text: string][] {
  return Object.entries(part).flatMap(([key, value]): [string, string][] => {
    if (typeof value === "string") return [[`${path}${key}`, value]];
    return typeof value === "object" ? textsOf(value as object, `${path}${key}.`) : [];
  });
}

describe("A catalogue", () => {
  const english = new Map(textsOf(catalogueOf("en")));
  const japanese = textsOf(catalogueOf("ja"));

  it("has the same texts in each language, and none is empty", () => {
    expect(japanese.map(([path]) => path).toSorted()).toEqual([...english.keys()].toSorted());
    expect(japanese.filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it("is translated: a Japanese text without Japanese letters is a name", () => {
    const names = new Set(["API", "ID", "URL", "Webhook", "ms"]);
    const untranslated = japanese.filter(
      ([, text]) =>
        /\p{L}/u.test(text) && !/[\u3040-\u30ff\u4e00-\u9fff]/.test(text) && !names.has(text),
    );
    expect(untranslated).toEqual([]);
  });
});
