import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareDecimals,
  decimalNumber,
  DecimalSum,
  quotient,
} from "../../src/domain/aggregate/decimal.ts";

const sumOf = (...values: number[]) => {
  const sum = new DecimalSum();
  for (const value of values) sum.addNumber(value, 1);
  return sum.total();
};
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });

describe("Exact decimals", () => {
  it("add the shortest decimals of doubles", () => {
    expect(JSON.stringify(decimalNumber(sumOf(0.1, 0.2)))).toBe("0.3");
    expect(JSON.stringify(decimalNumber(sumOf(9007199254740991, 0.25)))).toBe(
      "9007199254740991.25",
    );
    expect(JSON.stringify(decimalNumber(sumOf(1e300, 1e-5, -1e300)))).toBe("0.00001");
  });

  it("are the double itself for one value, and for its average over equal values", () => {
    fc.assert(
      fc.property(doubles, fc.integer({ min: 1, max: 200_000 }), (value, times) => {
        const sum = new DecimalSum();
        sum.addNumber(value, times);
        expect(quotient(sum.total(), times)).toBe(value === 0 ? 0 : value);
        expect(decimalNumber(sumOf(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it("round a quotient once, as the division of integers does", () => {
    const integers = fc.integer({ min: -(2 ** 52), max: 2 ** 52 });
    fc.assert(
      fc.property(integers, fc.integer({ min: 1, max: 200_000 }), (whole, count) => {
        expect(quotient(sumOf(whole), count)).toBe(whole === 0 ? 0 : whole / count);
      }),
    );
    for (const value of [Number.MIN_VALUE, 1e-310, 2 ** -1022, 2 ** -44, Number.MAX_VALUE])
      expect(quotient(sumOf(value), 1)).toBe(value);
  });

  it("end where doubles end", () => {
    expect(decimalNumber(sumOf(Number.MAX_VALUE, Number.MAX_VALUE))).toBeUndefined();
    expect(quotient(sumOf(Number.MAX_VALUE, Number.MAX_VALUE), 1)).toBeUndefined();
    expect(quotient(sumOf(Number.MAX_VALUE, Number.MAX_VALUE), 2)).toBe(Number.MAX_VALUE);
  });

  it("compare as fractions", () => {
    expect(compareDecimals(sumOf(0.1), sumOf(0.3), 3, 1)).toBe(0);
    expect(compareDecimals(sumOf(-1), sumOf(1e-300))).toBe(-1);
  });
});
