import createDecimal, { type Big } from "big.js";
import {
  dayInZone,
  toEpochMs,
  isCalendarDay,
  formatTimestamp,
  toUtcDateTime,
} from "#domain/time.ts";

/**
 * The maximum number of steps for all formulas of one item. A Worker's clock stops during computation, so the service
 * counts steps of about 100 ns. Each evaluated part costs one step, plus steps for the characters and digits that it
 * processes.
 */
export const maxItemSteps = 500_000;

/** The maximum length of a result or intermediate text, in UTF-16 units. */
export const maxFormulaTextLength = 20_000;
/** The maximum length of a search text of `contains`, `startsWith` and `endsWith`. */
const maxNeedleLength = 1000;

const charactersPerStep = 100;
const charactersPerCount = 10;
/**
 * The number of comparisons of two characters in one step. In the worst case, a search takes the product of both
 * lengths.
 */
const comparisonsPerStep = 500;
/** The number of products of two digits in one step. */
const productsPerStep = 32;
const stepsPerNumber = 8;
const stepsPerQuotient = 60;

/** The fixed cost of running a formula. */
export const stepsPerFormula = 20;
/** The cost of parsing or formatting a day. */
const stepsPerDay = 40;

/** The day and zone for `today()` and the other date functions, and the remaining steps. */
interface FormulaRun {
  day: string;
  zone: string;
  maxSteps: number;
  stepsLeft: number;
}

let currentRun: FormulaRun = { day: "", zone: "UTC", maxSteps: 0, stepsLeft: 0 };

/** Runs formulas of an item. `compute` must be synchronous, so that no other run replaces `currentRun`. */
export function withFormulaRun<T>(
  { day, zone, maxSteps }: Omit<FormulaRun, "stepsLeft">,
  compute: () => T,
): T {
  currentRun = { day, zone, maxSteps, stepsLeft: maxSteps };
  return compute();
}

export const today = (): string => currentRun.day;
const currentZone = (): string => currentRun.zone;

/** Whether steps remain for further formulas of the run. */
export const hasStepsLeft = (): boolean => currentRun.stepsLeft > 0;

/** Returns the number of steps that the formulas of the run have used. */
export const stepsTaken = (): number => currentRun.maxSteps - Math.max(0, currentRun.stepsLeft);

/** Counts steps. Throws when the item's steps are spent. */
export function spend(steps: number): void {
  currentRun.stepsLeft -= steps;
  if (currentRun.stepsLeft < 0) throw new Error("The formulas of this item take too many steps.");
}

export function spendText(text: string): void {
  spend(text.length / charactersPerStep);
}

/** Counts the steps of counting characters, which costs more than `spendText`. */
export function spendCount(text: string): void {
  spend(text.length / charactersPerCount);
}

export function spendSearch(text: string, needle: string): void {
  if (needle.length > maxNeedleLength) throw new Error("The text to look for is too long.");
  spend((text.length * needle.length) / comparisonsPerStep);
}

/** Counts the steps of adding or comparing numbers with this many digits. */
function spendSum(digits: number): void {
  spend(stepsPerNumber + digits / productsPerStep);
}

function spendProduct(digitsA: number, digitsB: number): void {
  spend(stepsPerNumber + (digitsA * digitsB) / productsPerStep);
}

function spendQuotient(digits: number): void {
  spend(stepsPerQuotient + digits);
}

/**
 * Formulas compute with exact decimals (big.js). This constructor is separate from the library's default one, so other
 * code cannot change its settings.
 */
export const Decimal = createDecimal();
export type Decimal = Big;

/** The significant digits of a quotient. */
const quotientDigits = 20;
/** The maximum number of digits of a result. No useful result has more. */
const maxDigits = 1000;

const roundTowardsZero = 0;
const roundHalfUp = 1;

export function plus(a: Decimal, b: Decimal): Decimal {
  spendAlignedSum(a, b);
  return a.plus(b);
}

export function minus(a: Decimal, b: Decimal): Decimal {
  spendAlignedSum(a, b);
  return a.minus(b);
}

export function times(a: Decimal, b: Decimal): Decimal {
  assertDigits(a.c.length + b.c.length);
  spendProduct(a.c.length, b.c.length);
  return a.times(b);
}

export function quotient(a: Decimal, b: Decimal): Decimal {
  spendQuotient(a.c.length + b.c.length);
  // Truncates after one extra digit, so that the final rounding sees the exact digit.
  Decimal.RM = roundTowardsZero;
  Decimal.DP = Math.max(0, quotientDigits + 1 - (a.e - b.e));
  return a.div(b).prec(quotientDigits, roundHalfUp);
}

/** Returns the remainder of dividing `a` by `b`. It has the sign of `a`. */
export function remainder(a: Decimal, b: Decimal): Decimal {
  spendAlignedSum(a, b);
  // The difference of the exponents gives the digits of the quotient. Each digit takes all digits of the divisor.
  spendQuotient(a.c.length + (Math.max(1, a.e - b.e + 1) * b.c.length) / 8);
  return a.mod(b);
}

/** Returns a negative number, zero or a positive number if `a` is less than, equal to or greater than `b`. */
export function compare(a: Decimal, b: Decimal): number {
  spendSum(0);
  return a.cmp(b);
}

/** Rounds halves away from zero, as on paper: 1.005 becomes 1.01, and −2.5 becomes −3. */
export function round(value: Decimal, decimals: number): Decimal {
  spendSum(value.c.length);
  return value.round(decimals, roundHalfUp);
}

export function floor(value: Decimal): Decimal {
  spendSum(value.c.length);
  const integer = value.round(0, roundTowardsZero);
  return integer.gt(value) ? integer.minus(1) : integer;
}

export function ceil(value: Decimal): Decimal {
  return floor(value.neg()).neg();
}

/** Formats a number without an exponent. */
export function formatDecimal(value: Decimal): string {
  assertDigits(Math.abs(value.e));
  return value.eq(0) ? "0" : value.toFixed();
}

/** An addition processes all digits from the highest to the lowest position of both numbers. */
function spendAlignedSum(a: Decimal, b: Decimal): void {
  const lowest = Math.min(a.e - a.c.length, b.e - b.c.length);
  const digits = Math.max(a.e, b.e) - lowest;
  assertDigits(digits);
  spendSum(digits);
}

function assertDigits(digits: number): void {
  if (digits > maxDigits) throw new Error("The number has too many digits.");
}

const dayMs = 24 * 60 * 60 * 1000;

/** Returns `b` − `a` in calendar days. A date-time counts as its day in the collection's zone. */
export function daysBetween(a: string, b: string): number {
  return (midnightMs(b) - midnightMs(a)) / dayMs;
}

function midnightMs(text: string): number {
  spend(stepsPerDay);
  const instant = toEpochMs(text);
  const calendarDay = instant === undefined ? text : dayInZone(instant, currentZone());
  if (!isCalendarDay(calendarDay)) throw new Error("The text is not a date.");
  return Date.parse(`${calendarDay}T00:00:00Z`);
}

/** Adds calendar days to a day, or periods of 24 hours to a date-time. */
export function addDays(text: string, days: Decimal): string {
  spend(2 * stepsPerDay);
  const count = days.toNumber();
  if (!Number.isInteger(count)) throw new Error("The number of days must be a whole number.");
  const instant = toEpochMs(text);
  if (instant === undefined && !isCalendarDay(text)) throw new Error("The text is not a date.");
  const resultMs = (instant ?? Date.parse(`${text}T00:00:00Z`)) + count * dayMs;
  // JavaScript has no dates beyond this. The check below limits years to four digits.
  if (!(Math.abs(resultMs) <= 8.64e15)) throw new Error("The resulting date is out of range.");
  const timestamp = formatTimestamp(resultMs);
  const result = instant === undefined ? timestamp.slice(0, 10) : withFraction(timestamp, text);
  if (instant === undefined ? isCalendarDay(result) : "value" in toUtcDateTime(result))
    return result;
  throw new Error("The resulting date is out of range.");
}

/** Restores the fraction of the original text, which can be finer than milliseconds. */
function withFraction(timestamp: string, text: string): string {
  const parsed = toUtcDateTime(text);
  return "value" in parsed ? timestamp.slice(0, 19) + parsed.value.slice(19) : timestamp;
}
