import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findExceededLimit, InexactNumber, parseJson } from "../../src/domain/json.ts";

const inexact = "12345678901234567890";

describe("Numbers that no double holds", () => {
  it("keep the sent values, among strings that look like the marks they are replaced by", () => {
    const strings = ["inexact 0 0", "inexact 1 0", "inexact 2 ", "inexact 00 0", "inexact x"];
    // The first character is escaped, so that the text itself does not have the mark.
    const escaped = strings.map((each) => `"\\u0069${each.slice(1)}"`);
    const parsed = parseJson(`{"a":[${inexact},${escaped.join(",")}],"inexact 0 0":1e400}`);
    expect(parsed).toEqual({
      a: [new InexactNumber(inexact), ...strings],
      "inexact 0 0": new InexactNumber("1e400"),
    });
  });

  it("are the only values that differ from JSON.parse, whatever strings stand beside them", () => {
    const forged = fc.tuple(fc.nat(20), fc.nat(20)).map(([turn, at]) => `inexact ${turn} ${at}`);
    const strings = fc.array(fc.oneof(forged, fc.string()), { maxLength: 30 });
    fc.assert(
      fc.property(strings, (values) => {
        const text = `[${values.map((each) => JSON.stringify(each)).join(",")}`;
        const parsed = parseJson(`${text}${values.length > 0 ? "," : ""}${inexact}]`);
        expect(parsed).toEqual([...values, new InexactNumber(inexact)]);
      }),
    );
  });

  it("are found in documents that are nested beyond the stack", () => {
    const depth = 50_000;
    let value = parseJson(`${"[".repeat(depth)}${inexact}${"]".repeat(depth)}`);
    while (Array.isArray(value)) [value] = value as unknown[];
    expect(value).toEqual(new InexactNumber(inexact));
  });

  it("are found in linear time among a million zeros", () => {
    const digits = `1${"0".repeat(1_000_000)}1`;
    expect(parseJson(digits)).toEqual(new InexactNumber(digits));
  });
});

describe("The limits of a JSON text", () => {
  const limits = { maxValues: 10, maxLevels: 3 };

  it("report too many values before too many levels, wherever each stands", () => {
    const many = JSON.stringify(Array.from({ length: 11 }, () => [0]));
    const deep = "[[[[1]]]]";
    expect(findExceededLimit(`[${deep},${many}]`, limits)).toBe("values");
    expect(findExceededLimit(`[${many},${deep}]`, limits)).toBe("values");
    expect(findExceededLimit(deep, limits)).toBe("levels");
    expect(findExceededLimit(`[${deep},"${" ".repeat(50)}"]`, limits)).toBe("levels");
  });

  it("allow exactly the limits, and ignore brackets and commas in strings", () => {
    expect(findExceededLimit('[[[1,2,3,4,5,6]],"[[[[,,,,,,,,,,,,\\"[[,"]', limits)).toBeUndefined();
    expect(findExceededLimit("[[[1]],[[2]],[[3]]]", limits)).toBeUndefined();
    expect(findExceededLimit(`[${"[[]],".repeat(4)}[[]]]`, limits)).toBe("values");
  });
});
