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
