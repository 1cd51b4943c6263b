import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern, tryPattern } from "../../src/domain/pattern/pattern.ts";
import { examplePattern } from "../../src/domain/pattern/parse.ts";

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

const native = (source: string) => {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
};

describe("Patterns", () => {
  it("match what ECMAScript's own engine matches", () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const own = native(source);
        fc.pre(own !== undefined && tryPattern(source).fault === undefined);
        for (const each of texts) {
          expect([source, each, compilePattern(source).matches(each)]).toEqual([
            source,
            each,
            own?.test(each),
          ]);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    ["^(a+)+$", false],
    ["^(a|a)*$", false],
    ["(a*)*b", false],
    ["(.*)(.*)(.*)(.*)(.*)x$", false],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", false],
    ["^(a|aa|aaa)+!$", true],
  ])("%s takes a text of 100,000 characters: %s", (source, matches) => {
    expect(compilePattern(source).matches(`${"a".repeat(100_000)}!`)).toBe(matches);
  });

  it.each([
    ["(", "Unterminated group"],
    ["a**", "Nothing to repeat"],
    ["\\-", "Invalid escape"],
    ["(a)\\1", "Back-references"],
    ["(?<n>a)\\k<n>", "Back-references"],
    ["(?=a)b", "Look-ahead"],
    ["(?<!a)b", "Look-ahead"],
    ["(?i:a)", "inline flags"],
    ["((a{50}){50}){50}", "states"],
    ["a{99999999999}", "states"],
  ])("%s is refused: %s", (source, reason) => {
    expect(tryPattern(source).fault).toContain(reason);
  });

  it("have an example that they match, where there is one", () => {
    fc.assert(
      fc.property(pattern, fc.nat(6), fc.nat(10), (source, least, more) => {
        fc.pre(native(source) !== undefined && tryPattern(source).fault === undefined);
        const compiled = compilePattern(source);
        const example = examplePattern(compiled, least, least + more);
        if (example === undefined) return;
        expect(compiled.matches(example)).toBe(true);
        expect(Array.from(example).length).toBeGreaterThanOrEqual(least);
        expect(Array.from(example).length).toBeLessThanOrEqual(least + more);
      }),
      { numRuns: 1000 },
    );
    expect(examplePattern(compilePattern("^[A-Z]{2}-\\d{4}$"), 0, 100)).toMatch(/^[A-Z]{2}-\d{4}$/);
    expect(examplePattern(compilePattern("^(ab)+$"), 5, 9)).toBe("ababab");
    expect(examplePattern(compilePattern("^a$"), 2, 9)).toBeUndefined();
  });
});
