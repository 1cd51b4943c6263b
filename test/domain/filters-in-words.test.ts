import { describe, expect, it } from "vitest";
import { catalogueOf } from "#admin/language/index.tsx";

describe("A filter in words", () => {
  it.each([
    ["is", ["Draft"], "Status is Draft", "ステータスが「Draft」"],
    ["is_not", ["下書き"], "Status is not 下書き", "ステータスが「下書き」以外"],
    ["one_of", ["a", "b"], "Status is one of a, b", "ステータスが「a」「b」のいずれか"],
    ["has_all", ["a", "b"], "Status has all of a, b", "ステータスに「a」「b」をすべて含む"],
    ["has_all", ["a"], "Status has all of a", "ステータスに「a」を含む"],
    ["has_none", ["a", "b"], "Status has none of a, b", "ステータスに「a」「b」のいずれも含まない"],
    ["at_least", ["100"], "Status is at least 100", "ステータスが 100 以上"],
    ["between", ["1", "9"], "Status is between 1 and 9", "ステータスが 1～9"],
    ["filled", [], "Status is not empty", "ステータスが入力済み"],
  ] as const)("%s %j: %s, %s", (comparison, values, english, japanese) => {
    expect(catalogueOf("en").filters.describe("Status", comparison, values)).toBe(english);
    expect(catalogueOf("ja").filters.describe("ステータス", comparison, values)).toBe(japanese);
  });

  it("has spaces around Latin names and numbers, but not between Japanese letters", () => {
    const { describe: sentence, days } = catalogueOf("ja").filters;
    expect(sentence("SKU", "contains", ["A"])).toBe("SKU に「A」を含む");
    expect(sentence("Due", "in_period", [days.last(7)])).toBe("Due が過去 7 日間");
    expect(sentence("期限", "on_or_after", ["2026/11/01"])).toBe("期限が 2026/11/01 以降");
  });
});
