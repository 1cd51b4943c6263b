import createDecimal from "big.js";
import { describeInexactNumber, InexactNumber, isObject } from "#domain/json.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import type { CompiledCollection } from "./compile.ts";
import type { Data } from "./values.ts";

/** A separate constructor, so that no other code changes its settings. */
const Decimal = createDecimal();

/** Adds to a stored number: `{ "count": { "$increment": 1 } }`. */
const incrementOperator = "$increment";

type InputValues = Record<string, unknown>;

/** Whether the data contains an increment. Increments need read permission, because the response reveals the value. */
export function requestsIncrement(data: unknown): boolean {
  return (
    isObject(data) &&
    Object.values(data).some((value) => isObject(value) && Object.hasOwn(value, incrementOperator))
  );
}

/**
 * Replaces each increment of a top-level number by the sum with the stored value, or zero. Other objects stay in the
 * input, where their fields reject them.
 */
export function resolveIncrements(
  compiled: CompiledCollection,
  storedData: Data,
  input: InputValues,
): { input: InputValues; errors: FieldError[] } {
  if (!requestsIncrement(input)) return { input, errors: [] };
  const errors: FieldError[] = [];
  const entries = Object.entries(input).flatMap(([key, value]): [string, unknown][] => {
    const target = compiled.fields.byKey.get(key);
    if (target?.field.type !== "number" || !isIncrement(value)) return [[key, value]];
    const amount = value[incrementOperator];
    const path = ["data", key, incrementOperator];
    if (amount instanceof InexactNumber) {
      errors.push(errorAt(path, "not_exact", describeInexactNumber(amount)));
      return [];
    }
    if (typeof amount !== "number") {
      errors.push(errorAt(path, "invalid_type", "Must be a number.", { expected: "number" }));
      return [];
    }
    const storedValue = storedData[target.slot];
    return [[key, addExactly(typeof storedValue === "number" ? storedValue : 0, amount)]];
  });
  return { input: Object.fromEntries(entries), errors };
}

function isIncrement(value: unknown): value is Record<typeof incrementOperator, unknown> {
  return isObject(value) && Object.keys(value).join() === incrementOperator;
}

/** Returns the exact decimal sum, or an `InexactNumber` when no double represents it. */
function addExactly(a: number, b: number): number | InexactNumber {
  const sum = new Decimal(a).plus(b);
  const nearest = Number(sum.toString());
  const isExact = Number.isFinite(nearest) && sum.eq(nearest);
  return isExact ? nearest : new InexactNumber(sum.toString());
}
