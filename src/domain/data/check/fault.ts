import type { FieldErrorCode } from "../../problem/problem";
import { nearestDateTime } from "../../time";

/** Says what is wrong with the value at hand; `details` become members of the field error. */
export type Fault = (
  code: FieldErrorCode,
  reason: string,
  details?: Record<string, unknown>,
) => undefined;

export function wrongType(expected: string, fault: Fault): undefined {
  return fault("invalid_type", `Must be of type ${expected}.`, { expected });
}

export function wrongFormat(expected: string, fault: Fault): undefined {
  return fault("invalid_format", `Must be ${expected}.`);
}

export function wrongDate(text: string, fault: Fault): undefined {
  const near = nearestDateTime(text, "date");
  return near === undefined
    ? wrongFormat("a calendar day like 2026-11-21, 2026-11-21Z or 2026-11-21+09:00", fault)
    : wrongFormat(`a calendar day, with or without an offset, like "${near}"`, fault);
}
