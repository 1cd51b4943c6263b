import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern, analyzePattern } from "../../src/domain/pattern/pattern.ts";
import { findExampleText } from "../../src/domain/pattern/parse.ts";
import { randomCases, unsized } from "../support/size.ts";

const atoms = [
  "a",
  "b",
  ".",
  "\\d",
  "\\w",
  "[ab]",
  "[^a]",
  "[a-c\\]-]",
  "\\p{L}",
  "é",
  "\\u{1F600}",
  "\\.",
  "\\x41",
  "\\uD83D\\uDE00",
];
const marks = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?"];
const atom = fc.constantFrom(...atoms);
const mark = fc.constantFrom(...marks);

const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie("part"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((options) => options.map((parts) => parts.join("")).join("|")),
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(atom, mark).map((pair) => pair.join("")),
    fc.constantFrom("^", "$", "\\b", "\\B"),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?<name>"), tie("pattern"), mark)
      .map(([open, inside, after]) => `${open}${inside})${after}`),
  ),
}));
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "b", "c", "A", "1", "]", "-", " ", "é", "😀", "\n"),
    maxLength: 12,
  }),
  fc.string({ unit: "binary", maxLength: 8 }),
);

const nativePattern = (source: string) => {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
};

describe("Patterns", () => {
  it("match the same texts as native regular expressions", () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const expected = nativePattern(source);
        fc.pre(expected !== undefined && analyzePattern(source).error === undefined);
        // V8 finds \B inside a surrogate pair, although with the flag `u` a text consists of code points.
        const isComparable = (input: string) =>
          !source.includes("\\B") || !/[\u{10000}-\u{10FFFF}]/u.test(input);
        for (const input of texts.filter(isComparable)) {
          expect([source, input, compilePattern(source).matches(input)]).toEqual([
            source,
            input,
            expected?.test(input),
          ]);
        }
      }),
      { numRuns: randomCases(300, 1500) },
    );
  });

  unsized.it.each([
    ["^(a+)+$", false],
    ["^(a|a)*$", false],
    ["(a*)*b", false],
    ["(.*)(.*)(.*)(.*)(.*)x$", false],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", false],
    ["^(a|aa|aaa)+!$", true],
  ])("%s matches a text of 100,000 characters in linear time: %s", (source, matches) => {
    expect(compilePattern(source).matches(`${"a".repeat(100_000)}!`)).toBe(matches);
  });

  unsized.it.each([
    ["(", "Unterminated group"],
    ["a**", "Nothing to repeat"],
    ["\\-", "Invalid escape"],
    ["(a)\\1", "back-references"],
    ["(?<n>a)\\k<n>", "back-references"],
    ["(?=a)b", "look-ahead"],
    ["(?<!a)b", "look-ahead"],
    ["(?i:a)", "inline flags"],
    ["((a{50}){50}){50}", "states"],
    ["a{99999999999}", "states"],
  ])("reject %s: %s", (source, reason) => {
    expect(analyzePattern(source).error).toContain(reason);
  });

  it("have an example that matches, if one exists", () => {
    fc.assert(
      fc.property(pattern, fc.nat(6), fc.nat(10), (source, minLength, extraLength) => {
        fc.pre(nativePattern(source) !== undefined && analyzePattern(source).error === undefined);
        const compiled = compilePattern(source);
        const example = findExampleText(compiled, minLength, minLength + extraLength);
        if (example === undefined) return;
        expect(compiled.matches(example)).toBe(true);
        expect(Array.from(example).length).toBeGreaterThanOrEqual(minLength);
        expect(Array.from(example).length).toBeLessThanOrEqual(minLength + extraLength);
      }),
      { numRuns: randomCases(300, 1000) },
    );
    expect(findExampleText(compilePattern("^[A-Z]{2}-\\d{4}$"), 0, 100)).toMatch(
      /^[A-Z]{2}-\d{4}$/,
    );
    expect(findExampleText(compilePattern("^(ab)+$"), 5, 9)).toBe("ababab");
    expect(findExampleText(compilePattern("^a$"), 2, 9)).toBeUndefined();
  });
});
