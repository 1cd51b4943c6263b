import type { FieldErrorCode } from "../../../domain/problem/problem";
import type { Refusal } from "../../../gate/call-log";

const faults: Record<FieldErrorCode, (field: string) => string> = {
  required: (field) => `${field} is missing`,
  unknown_field: (field) => `unknown field ${field}`,
  invalid_type: (field) => `${field} has the wrong type`,
  invalid_format: (field) => `${field} is not in the right format`,
  too_short: (field) => `${field} is too short`,
  too_long: (field) => `${field} is too long`,
  too_small: (field) => `${field} is too small`,
  too_large: (field) => `${field} is too large`,
  too_many_decimals: (field) => `${field} has too many decimals`,
  not_an_option: (field) => `${field} is none of the options`,
  too_few_rows: (field) => `${field} has too few rows`,
  too_many_rows: (field) => `${field} has too many rows`,
  time_zone_required: (field) => `${field} lacks a time zone`,
  invalid_status: () => "the status is not possible",
  unknown_parameter: (field) => `unknown query parameter ${field}`,
  out_of_range: (field) => `${field} is out of range`,
  not_exact: (field) => `${field} is too large to be exact`,
  invalid_cursor: () => "the cursor belongs to another search",
  invalid_condition: (field) => `the condition ${field} is not possible`,
  too_complex: () => "the search is too complex",
  invalid_definition: (field) => `${field} is no valid definition`,
};

export function wrongInWords({ wrong = [] }: Refusal): string {
  const told = wrong.map(({ field, code }) => faults[code](field));
  const text = told.join("; ");
  return text === ""
    ? "What was sent is not valid."
    : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
