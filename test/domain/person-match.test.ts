import { describe, expect, it } from "vitest";
import { matchPerson, parsePersonText } from "../../src/domain/item/person-match.ts";

describe("A search for a person", () => {
  it.each([
    ["高橋健", "高橋 健"],
    ["高橋健", "髙橋\u3000健"],
    ["高橋 健", "高橋健"],
    ["齋藤", "斉藤 直子"],
    ["ホワイトボード", "ﾎﾜｲﾄﾎﾞｰﾄﾞ係"],
    ["ﾔﾏﾀﾞﾊﾅｺ", "やまだ\u3000はなこ"],
    ["yamada@example.co.jp", "ＹＡＭＡＤＡ＠ｅｘａｍｐｌｅ．ｃｏ．ｊｐ"],
    ["0312345678", "０３－１２３４－５６７８"],
    ["(03) 1234 5678", "03-12345678"],
    ["Muller", "Müller"],
    ["O’Brien", "OBRIEN"],
    ["---", "--- 5"],
  ])("finds %s in %s", (typed, value) => {
    expect(matchPerson(parsePersonText(typed))({ value })).toBe(true);
  });

  it.each([
    ["高橋健", "高橋 茂"],
    ["Anna", "An"],
    ["---", "Anna"],
  ])("does not find %s in %s", (typed, value) => {
    expect(matchPerson(parsePersonText(typed))({ value })).toBe(false);
  });

  it("does not find a name across two values", () => {
    expect(matchPerson("anna")({ one: "an", other: "na" })).toBe(false);
  });

  it("takes two characters of a Japanese name, but three of others", () => {
    expect(parsePersonText("高橋")).toBe("高橋");
    expect(() => parsePersonText("an")).toThrow("invalid");
  });
});
