import * as z from "zod/mini";
import type { FieldError } from "./problem/problem";

const minimum = 1;
const maximum = 200;

/** How many items a page of a list or a search has (contract, section 9). */
export const pageLimit = z.int().check(z.gte(minimum), z.lte(maximum));
export const defaultLimit = 50;

/** What is said of any other value. */
export const limitRefusal = {
  code: "out_of_range",
  reason: `Must be a whole number from ${minimum} to ${maximum}.`,
  minimum,
  maximum,
} as const satisfies Omit<FieldError, "field">;
