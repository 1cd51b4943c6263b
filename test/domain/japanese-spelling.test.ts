import { readdirSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";

const folders = ["src/admin/language/ja", "src/assets/scripts/language"];
const otherFiles = ["src/html/language.ts", "src/pages/problem-pages.tsx"];
const files = [
  ...folders.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`)),
  ...otherFiles,
];

const japanese = /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u;

/** The Japanese texts of a file. A parameter of a text is an empty pair of braces. */
function textsOf(file: string): string[] {
  const texts: string[] = [];
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === "string") texts.push(value);
    },
    TemplateLiteral: ({ quasis }) => {
      texts.push(quasis.map(({ value }) => value.cooked ?? "").join("{}"));
    },
  }).visit(parseSync(file, readFileSync(file, "utf8")).program);
  return texts.filter((text) => japanese.test(text));
}

const letter = String.raw`[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}ー]`;
const rules: [rule: string, pattern: RegExp][] = [
  [
    "a space separates Japanese letters from Latin ones and digits",
    RegExp(`${letter}[A-Za-z0-9]|[A-Za-z0-9]${letter}`, "u"),
  ],
  ["no space stands beside a full-width sign", / [「」（）、。：・？]|[「」（）、。：？] (?=\S)/u],
  [
    "colons, brackets and question marks are full-width",
    RegExp(`${letter}[:?(]|[)]${letter}`, "u"),
  ],
];

/** Formats and codes, which are what they are. */
const exceptions = [/2026年12月31日/g, /[「（]\{\}/g];

describe("Japanese texts", () => {
  it("are read from the catalogue, the scripts and the pages of problems", () => {
    const counts = files.map((file) => textsOf(file).length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1000);
  });

  it.each(["Webhook名は", "60件です", "件名: 入力", "中村(1)", "「A」 を"])(
    "break a rule like %j",
    (text) => {
      expect(rules.some(([, pattern]) => pattern.test(text))).toBe(true);
    },
  );

  it.each(rules)("follow the rule: %s", (_, pattern) => {
    const wrong = files.flatMap((file) =>
      textsOf(file)
        .filter((text) =>
          pattern.test(exceptions.reduce((rest, each) => rest.replace(each, ""), text)),
        )
        .map((text) => `${file}: ${text}`),
    );
    expect(wrong).toEqual([]);
  });
});
