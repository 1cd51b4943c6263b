import type { FieldErrorCode } from "./problem";

/** What each code in `errors` means, for the page that explains `invalid_input`; docs/errors.md says the same. */
export const fieldErrors = {
  required: "A required field has no value, or was emptied.",
  unknown_field: "The definition, or the body, has no such key; `renamed_to` is its name now.",
  invalid_type: "Another JSON type is expected, or a whole number: `expected` names it.",
  invalid_format: "The type is right, but not the form, which `reason` describes.",
  too_short: "There are fewer characters than `min_length`.",
  too_long: "There are more characters than `max_length`.",
  too_small: "The number is below the `minimum`.",
  too_large: "The number is above the `maximum`.",
  too_many_decimals: "The number has more decimals than `decimals`.",
  not_an_option: "The value is none of the field's `options`.",
  too_few_rows: "There are fewer rows than `min_rows`.",
  too_many_rows: "There are more rows than `max_rows`.",
  time_zone_required: "A date-time needs an offset, like Z or +09:00.",
  invalid_status: "The item cannot be given this status; `allowed` names those it can.",
  unknown_parameter: "The route has no such query parameter.",
  out_of_range: "`limit` lies between `minimum` and `maximum`.",
  not_exact: "A JSON number of double precision does not hold this number as it was written.",
  invalid_cursor: "The cursor is damaged, or was made for another route, other conditions or sort.",
  invalid_condition:
    "A search names a field, an operator or a value that do not fit; `allowed` names what does.",
  too_complex:
    "A search is beyond its bounds, or the patterns of a form take too long for this item.",
  invalid_definition: "Something in a definition contradicts the rules, or itself.",
} as const satisfies Record<FieldErrorCode, string>;
