import createDecimal, { type Big } from "big.js";
import { dayInZone, instant, isCalendarDay, stamp, utcDateTime } from "#domain/time.ts";

/**
 * What the formulas of one item may cost together. The clock stands still while a Worker computes, so steps are counted,
 * each of some 100 ns: a part that is evaluated is one, and so are so many characters or digits that it touches.
 */
const mostSteps = 500_000;

/** What a formula can give, and put together on the way; in UTF-16 units. */
export const longestText = 20_000;
/** What `contains` and its kin look for. */
const longestSought = 1000;

const charactersPerStep = 100;
const charactersPerCount = 10;
/** Comparisons of two characters: looking for a text takes as many as both lengths multiplied, at the worst. */
const comparisonsPerStep = 500;
/** Products of two digits. */
const productsPerStep = 32;
const stepsOfNumber = 8;
const stepsOfQuotient = 60;

/** Beginning and ending a formula, whatever it is. */
export const stepsOfRun = 20;
/** Reading and writing a day. */
export const stepsOfDay = 40;

/** What the run at hand knows: the day and the zone for `today()` and its kin, and the steps that are left. */
interface Run {
  day: string;
  zone: string;
  steps: number;
}

let current: Run = { day: "", zone: "UTC", steps: 0 };

/** Runs an item's formulas. Nothing is awaited in between, so that no other run comes in. */
export function running<T>(day: string, zone: string, run: () => T): T {
  current = { day, zone, steps: mostSteps };
  return run();
}

export const today = (): string => current.day;
export const zoneNow = (): string => current.zone;

/** Whether formulas of this item can still be run. */
export const hasSteps = (): boolean => current.steps > 0;

/** The steps that the item's formulas have taken. */
export const stepsTaken = (): number => mostSteps - Math.max(0, current.steps);

/** Counts steps, and ends the formula once the item's are spent. */
export function spend(steps: number): void {
  current.steps -= steps;
  if (current.steps < 0) throw new Error("The formulas of this item take too many steps.");
}

export function spendText(text: string): void {
  spend(text.length / charactersPerStep);
}

/** Each character is looked at, which takes longer than copying it. */
export function spendCount(text: string): void {
  spend(text.length / charactersPerCount);
}

export function spendSearch(text: string, sought: string): void {
  if (sought.length > longestSought) throw new Error("The text that is looked for is too long.");
  spend((text.length * sought.length) / comparisonsPerStep);
}

/** Adding or comparing numbers that are so many digits long. */
export function spendSum(digits: number): void {
  spend(stepsOfNumber + digits / productsPerStep);
}

export function spendProduct(digits: number, others: number): void {
  spend(stepsOfNumber + (digits * others) / productsPerStep);
}

export function spendQuotient(digits: number): void {
  spend(stepsOfQuotient + digits);
}

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

const day = 24 * 60 * 60 * 1000;

/** b − a in calendar days; a date-time counts as the day that it is in the zone of the collection. */
export function daysBetween(a: string, b: string): number {
  return (midnight(b) - midnight(a)) / day;
}

function midnight(text: string): number {
  spend(stepsOfDay);
  const at = instant(text);
  const calendarDay = at === undefined ? text : dayInZone(at, zoneNow());
  if (!isCalendarDay(calendarDay)) throw new Error("This is no day.");
  return Date.parse(`${calendarDay}T00:00:00Z`);
}

/** A day so many days later; a date-time so many times 24 hours later. */
export function addDays(text: string, days: Decimal): string {
  spend(2 * stepsOfDay);
  const count = days.toNumber();
  if (!Number.isInteger(count)) throw new Error("Days are added whole.");
  const at = instant(text);
  if (at === undefined && !isCalendarDay(text)) throw new Error("This is no day.");
  const later = (at ?? Date.parse(`${text}T00:00:00Z`)) + count * day;
  // Years of four digits, as everywhere; beyond the calendar of JavaScript there is no stamp at all.
  if (!(Math.abs(later) <= 8.64e15)) throw new Error("There is no such day.");
  const moved = stamp(later);
  const result = at === undefined ? moved.slice(0, 10) : withFraction(moved, text);
  if (at === undefined ? isCalendarDay(result) : "value" in utcDateTime(result)) return result;
  throw new Error("There is no such day.");
}

/** Fractions finer than milliseconds are those of the text that was moved. */
function withFraction(moved: string, text: string): string {
  const parsed = utcDateTime(text);
  return "value" in parsed ? moved.slice(0, 19) + parsed.value.slice(19) : moved;
}
