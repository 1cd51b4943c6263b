import createDecimal, { type Big } from "big.js";
import { spendProduct, spendQuotient, spendSum } from "./budget";

/**
 * The numbers of formulas: exact decimals (big.js), from the stored value to the stored result. A constructor of our own,
 * so that nobody else's settings reach it.
 */
export const Decimal = createDecimal();
export type Decimal = Big;

/** Division is carried to so many significant digits (contract, section 7). */
const quotientDigits = 20;
/** A number of more digits is nobody's result. */
const mostDigits = 1000;

const towardsZero = 0;
const halfUp = 1;

export function plus(a: Decimal, b: Decimal): Decimal {
  aligned(a, b);
  return a.plus(b);
}

export function minus(a: Decimal, b: Decimal): Decimal {
  aligned(a, b);
  return a.minus(b);
}

export function times(a: Decimal, b: Decimal): Decimal {
  refuseDigits(a.c.length + b.c.length);
  spendProduct(a.c.length, b.c.length);
  return a.times(b);
}

export function quotient(a: Decimal, b: Decimal): Decimal {
  spendQuotient(a.c.length + b.c.length);
  // Cut off one digit behind the last that stays: what is rounded there is the true digit.
  Decimal.RM = towardsZero;
  Decimal.DP = Math.max(0, quotientDigits + 1 - (a.e - b.e));
  return a.div(b).prec(quotientDigits, halfUp);
}

/** What is left when `b` has been taken from `a` as often as it goes; it has the sign of `a`. */
export function remainder(a: Decimal, b: Decimal): Decimal {
  aligned(a, b);
  // As many digits of a quotient as there are places between them, each by all digits of the divisor.
  spendQuotient(a.c.length + (Math.max(1, a.e - b.e + 1) * b.c.length) / 8);
  return a.mod(b);
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compare(a: Decimal, b: Decimal): number {
  spendSum(0);
  return a.cmp(b);
}

/** Half up at a number of decimals, as people round on paper: 1.005 is 1.01, and −2.5 is −3. */
export function rounded(value: Decimal, decimals: number): Decimal {
  spendSum(value.c.length);
  return value.round(decimals, halfUp);
}

export function floor(value: Decimal): Decimal {
  spendSum(value.c.length);
  const whole = value.round(0, towardsZero);
  return whole.gt(value) ? whole.minus(1) : whole;
}

export function ceil(value: Decimal): Decimal {
  return floor(value.neg()).neg();
}

/** In full, without an exponent. */
export function written(value: Decimal): string {
  refuseDigits(Math.abs(value.e));
  return value.eq(0) ? "0" : value.toFixed();
}

/** Adding goes through all digits from the first of the larger number to the last of either. */
function aligned(a: Decimal, b: Decimal): void {
  const last = Math.min(a.e - a.c.length, b.e - b.c.length);
  const digits = Math.max(a.e, b.e) - last;
  refuseDigits(digits);
  spendSum(digits);
}

function refuseDigits(digits: number): void {
  if (digits > mostDigits) throw new Error("The number has too many digits.");
}
