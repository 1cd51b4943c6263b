/** An exact sum of decimals. Keeps one integer sum for each number of decimals. */
export class DecimalSum {
  readonly #units = new Map<number, bigint>();

  /** Adds `units` × 10^-`decimals`. */
  addUnits(units: bigint, decimals: number): void {
    this.#units.set(decimals, (this.#units.get(decimals) ?? 0n) + units);
  }

  /** Adds the shortest decimal that a double represents, `times` times. */
  addNumber(value: number, times: number): void {
    const [digits = "0", exponent = "0"] = value.toExponential().split("e");
    const [whole = "0", fraction = ""] = digits.split(".");
    this.addUnits(BigInt(whole + fraction) * BigInt(times), fraction.length - Number(exponent));
  }

  /** Returns the sum as an integer, and its number of decimals, which is not negative. */
  total(): Decimal {
    const decimals = Math.max(0, ...this.#units.keys());
    let units = 0n;
    for (const [own, value] of this.#units) units += value * 10n ** BigInt(decimals - own);
    return { units, decimals };
  }
}

/** `units` × 10^-`decimals`. */
export interface Decimal {
  units: bigint;
  decimals: number;
}

/** Formats a number in a JSON document with all its digits. */
const raw = JSON as unknown as { rawJSON(text: string): unknown };

/** Returns a decimal for a JSON document, with all its digits. Undefined beyond the range of doubles. */
export function decimalNumber(decimal: Decimal): number | undefined {
  const text = formatDecimal(decimal);
  const nearest = Number(text);
  if (!Number.isFinite(nearest)) return undefined;
  const shortest = new DecimalSum();
  shortest.addNumber(nearest, 1);
  return compareDecimals(shortest.total(), decimal) === 0 ? nearest : (raw.rawJSON(text) as number);
}

function formatDecimal({ units, decimals }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0{1,400}$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * Returns a negative number, zero or a positive number if `a` × `timesA` is less than, equal to or greater than `b` ×
 * `timesB`.
 */
export function compareDecimals(a: Decimal, b: Decimal, timesA = 1, timesB = 1): number {
  const x = a.units * 10n ** BigInt(b.decimals) * BigInt(timesA);
  const y = b.units * 10n ** BigInt(a.decimals) * BigInt(timesB);
  return x === y ? 0 : x < y ? -1 : 1;
}

/** The exponent of the smallest double, and the number of significant bits of a double. */
const minExponent = -1074;
const significantBits = 53;

/**
 * Returns the double nearest to `decimal` / `count`, and of two equally near doubles the even one. Undefined beyond the
 * range of doubles.
 */
export function quotient({ units, decimals }: Decimal, count: number): number | undefined {
  const numerator = units < 0n ? -units : units;
  const denominator = BigInt(count) * 10n ** BigInt(decimals);
  const exponent = Math.max(
    bitLength(numerator) - bitLength(denominator) - significantBits,
    minExponent,
  );
  let rounded = roundedQuotient(numerator, denominator, exponent);
  // The estimated exponent may be one too low. The digits then have one bit too many.
  let unit = exponent;
  if (rounded >= 1n << BigInt(significantBits)) {
    unit += 1;
    rounded = roundedQuotient(numerator, denominator, unit);
  }
  // Both factors are exact. The power may have to be applied in two steps, because 2^1024 is not a double.
  const value = Number(rounded) * 2 ** Math.min(unit, 900) * 2 ** Math.max(0, unit - 900);
  if (!Number.isFinite(value)) return undefined;
  return units < 0n ? -value : value;
}

/**
 * Returns the integer nearest to `numerator` / `denominator` / 2^`exponent`, and of two equally near integers the even
 * one.
 */
function roundedQuotient(numerator: bigint, denominator: bigint, exponent: number): bigint {
  const dividend = exponent < 0 ? numerator << BigInt(-exponent) : numerator;
  const divisor = exponent < 0 ? denominator : denominator << BigInt(exponent);
  const whole = dividend / divisor;
  const twice = 2n * (dividend % divisor);
  const isUp = twice > divisor || (twice === divisor && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

const bitLength = (value: bigint): number => value.toString(2).length;
