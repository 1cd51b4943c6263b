import * as z from "zod/mini";

export const idempotencyKeyHeader = "Idempotency-Key";

/** 1 to 255 visible ASCII characters (contract, section 8). */
export const idempotencyKey = z
  .string()
  .check(
    z.minLength(1, { abort: true }),
    z.maxLength(255, { abort: true }),
    z.regex(/^[\x21-\x7e]+$/, "Must be visible ASCII only."),
  );
