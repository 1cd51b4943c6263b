import { describe, expect, it } from "vitest";
import { parseOperand } from "../../src/domain/search/operand.ts";
import { isStorable, toStoredText } from "../../src/domain/text.ts";

const textWithMarks = (marks: number) => `a${"\u0323".repeat(marks)}`;

describe("Stored text", () => {
  it("has at most 30 consecutive combining marks, like Stream-Safe Text (UAX #15)", () => {
    expect(isStorable(textWithMarks(30).repeat(100))).toBe(true);
    expect(isStorable(`${textWithMarks(30)}b${textWithMarks(31)}`)).toBe(false);
    // A mark beyond the basic plane counts as one mark, although it has two code units.
    expect(isStorable(`a${"\u{1d165}".repeat(30)}`)).toBe(true);
    expect(isStorable(`a${"\u{1d165}".repeat(31)}`)).toBe(false);
  });

  it("contains no lone surrogates and no U+0000", () => {
    expect(["a\0", "a\ud800", "\udc00"].map(isStorable)).toEqual([false, false, false]);
    expect(["", "a", "é", "語", "🎉"].every(isStorable)).toBe(true);
  });

  it("is stable under normalization, and is rejected when normalization exceeds the limit", () => {
    // U+0344 becomes two marks in normal form C.
    expect(isStorable(`a${"\u0344".repeat(30)}`)).toBe(true);
    expect(toStoredText(`a${"\u0344".repeat(30)}`)).toBeUndefined();
    const storedText = toStoredText(`a${"\u0344".repeat(15)}`);
    expect(storedText && toStoredText(storedText)).toBe(storedText);
    expect(toStoredText("e\u0301")).toBe("é");
  });
});

describe("Search operands for text", () => {
  const text = { kind: "text", source: { in: "data" } } as never;
  const maxTextLength = 100_000;

  it.each(["eq", "in", "between"] as const)(
    "%s: rejects an operand longer than any stored text",
    (op) => {
      const operand = (value: string) =>
        parseOperand(text, op, op === "eq" ? value : op === "in" ? [value] : [value, value]);
      expect(operand("a".repeat(maxTextLength))).toHaveProperty("condition");
      expect(operand("a".repeat(2 * maxTextLength + 1))).toHaveProperty("reason");
    },
  );
});
