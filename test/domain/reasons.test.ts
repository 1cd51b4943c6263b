import { describe, expect, it } from "vitest";
import { catalogueOf } from "#admin/language/index.tsx";
import { reasonTexts } from "#domain/problem/reason-texts.ts";
import { readReason, reasonFor, type ReasonKey } from "#domain/problem/reasons.ts";

const keys = Object.keys(reasonTexts) as ReasonKey[];
const parametersOf = (key: ReasonKey) => [
  ...new Set([...reasonTexts[key].matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)),
];

/** Values that no sentence of the catalogue contains. Numbers, because they are the same in every language. */
const valuesOf = (key: ReasonKey) =>
  Object.fromEntries(parametersOf(key).map((name, index) => [name, String(index + 41)]));

const build = (key: ReasonKey) => (reasonFor as (...args: unknown[]) => string)(key, valuesOf(key));

const japanese = catalogueOf("ja").problems;

describe("The sentences of field errors", () => {
  it.each(keys)("can be read back from the text of the API: %s", (key) => {
    expect(readReason(build(key))).toEqual({ key, values: valuesOf(key) });
  });

  it("keep values with line breaks, quotes and other sentences", () => {
    const values = { view: 'a"b', reason: "Must not be empty.\nMust be a number." };
    expect(readReason(reasonFor("inView", values))).toEqual({ key: "inView", values });
  });

  it("are read in time that grows with the length of the text, whatever it repeats", () => {
    const repeated = '". Did you mean "x"? Fields: '.repeat(400);
    const start = performance.now();
    expect(readReason(`There is no field "${repeated}!`)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(500);
  });

  it("are no sentence of the catalogue if the area wrote them", () => {
    expect(readReason("名前を入力してください。")).toBeUndefined();
  });

  it.each(keys)("have a Japanese text without English words: %s", (key) => {
    const reason = build(key);
    const text = japanese.reason({ field: "f", code: "invalid_definition", reason }, undefined);
    expect(text).not.toBe(reason);
    expect(text).toMatch(/[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u);
    expect(text).not.toMatch(/[A-Za-z]+ [a-z]+ [a-z]+/);
  });

  it("are translated inside the sentence about a view", () => {
    const reason = reasonFor("inView", { view: "open", reason: reasonFor("notNumber") });
    const error = { field: "views[0]", code: "invalid_definition", reason } as const;
    expect(japanese.reason(error, undefined)).toBe("ビュー「open」：数値を入力してください。");
  });

  it("become a Japanese text by their code if the catalogue lacks them", () => {
    const error = { field: "f", code: "too_complex", reason: "Something new." } as const;
    expect(japanese.reason(error, undefined)).toMatch(/もう一度お試しください。$/);
  });

  it("stay as they are if the area wrote them", () => {
    const reason = "用途を選択してください。";
    const error = { field: "f", code: "required", reason } as const;
    expect(japanese.reason(error, undefined)).toBe(reason);
  });
});
