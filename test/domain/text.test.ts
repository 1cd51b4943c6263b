import { describe, expect, it } from "vitest";
import { parseOperand } from "../../src/domain/search/operand.ts";
import { isStorable, storedText } from "../../src/domain/text.ts";

const marked = (marks: number) => `a${"\u0323".repeat(marks)}`;

describe("Text that is stored", () => {
  it("has at most 30 combining marks in a row, as Stream-Safe Text does (UAX #15)", () => {
    expect(isStorable(marked(30).repeat(100))).toBe(true);
    expect(isStorable(`${marked(30)}b${marked(31)}`)).toBe(false);
    // A mark beyond the basic plane is one mark of two units.
    expect(isStorable(`a${"\u{1d165}".repeat(30)}`)).toBe(true);
    expect(isStorable(`a${"\u{1d165}".repeat(31)}`)).toBe(false);
  });

  it("is whole characters, without U+0000", () => {
    expect(["a\0", "a\ud800", "\udc00"].map(isStorable)).toEqual([false, false, false]);
    expect(["", "a", "é", "語", "🎉"].every(isStorable)).toBe(true);
  });

  it("can be stored again as it is: what grows beyond that when it is normalized is refused", () => {
    // U+0344 is two marks in normal form C.
    expect(isStorable(`a${"\u0344".repeat(30)}`)).toBe(true);
    expect(storedText(`a${"\u0344".repeat(30)}`)).toBeUndefined();
    const kept = storedText(`a${"\u0344".repeat(15)}`);
    expect(kept && storedText(kept)).toBe(kept);
    expect(storedText("e\u0301")).toBe("é");
  });
});

describe("What a text is compared with", () => {
  const text = { kind: "text", source: { in: "data" } } as never;
  const longest = 100_000;

  it.each(["eq", "in", "between"] as const)("%s: is no longer than a text can be", (op) => {
    const operand = (value: string) =>
      parseOperand(text, op, op === "eq" ? value : op === "in" ? [value] : [value, value]);
    expect(operand("a".repeat(longest))).toHaveProperty("condition");
    expect(operand("a".repeat(2 * longest + 1))).toHaveProperty("reason");
  });
});
