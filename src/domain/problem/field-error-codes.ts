/** The meaning of each code in `errors`, for the page about `invalid_input`. docs/errors.md has the same table. */
export const fieldErrorMeanings = {
  required: "A required field has no value, or the request clears it.",
  unknown_field:
    "The definition or the body has no such key. `renamed_to` is the current key of a renamed field.",
  invalid_type:
    "The value has the wrong JSON type, or is not a whole number. `expected` names the type.",
  invalid_format: "The type is right, but the format is wrong. `reason` describes the format.",
  too_short: "The text has fewer characters than `min_length`.",
  too_long: "The text has more characters than `max_length`.",
  too_small: "The number is below the `minimum`.",
  too_large: "The number is above the `maximum`.",
  too_many_decimals: "The number has more decimals than `decimals`.",
  not_an_option: "The value is not one of the field's `options`.",
  too_few_rows: "The list has fewer rows than `min_rows`.",
  too_many_rows: "The list has more rows than `max_rows`.",
  time_zone_required: "A date-time has no offset like Z or +09:00.",
  invalid_status: "The item cannot change to this status. `allowed` lists the possible statuses.",
  unknown_parameter: "The route has no such query parameter.",
  out_of_range:
    "`limit` is not between `minimum` and `maximum`, or differs between query and body. Or a figure of an aggregate is beyond the range of a double.",
  not_exact: "A double-precision number cannot represent this number exactly.",
  invalid_cursor:
    "The cursor is damaged, or belongs to another route, other conditions or another sort.",
  invalid_condition:
    "A search or an aggregate names an unknown field or operator, or an invalid value. `allowed` lists the alternatives.",
  too_complex:
    "A search or an aggregate exceeds its limits, or the patterns and formulas take too long for this request.",
  invalid_definition: "A part of a definition violates a rule or contradicts another part.",
  unknown_reference:
    "No record has this ID, receipt number or unique value, or the credential may not refer to it.",
  outside_view:
    "The item would not match the view of the credential after the write, or a field that the view hides would be invalid.",
  unknown_file: "No file has this ID, or the credential did not upload it for this field.",
  file_incomplete: "The content of the file was not uploaded yet.",
  file_in_use: "The file belongs to another item.",
  too_many_files: "The list has more files than `max_files`.",
  not_accepted:
    "The content of the file is of a type that is not in `accept`, or exceeds `max_bytes`.",
  digest_mismatch:
    "The content does not have the `bytes` or the `sha256` that the file was created with.",
} as const;

export type FieldErrorCode = keyof typeof fieldErrorMeanings;
export const fieldErrorCodes = Object.keys(fieldErrorMeanings) as FieldErrorCode[];
