import {
  isList,
  valueType,
  type Field,
  type Option,
  type TextField,
} from "../../domain/definition/field";

/** A JSON Schema (2020-12), which is what OpenAPI 3.1 speaks. */
export type Schema = Record<string, unknown>;

/** Days that the calendar has, leap years included; the offset may be left out of what is sent. */
const calendarDay = [
  "\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))",
  "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29",
].join("|");
const day = `^(?!0000)(?:${calendarDay})(?:Z|[+-](?:0\\d|1[0-5]):[0-5]\\d)?$`;
const phone = "^[ ().\\-/]*\\+?(?:[ ().\\-/]*[0-9]){5,15}[ ().\\-/]*$";
const largest = Number.MAX_SAFE_INTEGER;

/** What is sent for the fields of an item or a row. In a change nothing is required, and null clears. */
export function inputSchema(fields: readonly Field[], use: "create" | "change" | "row"): Schema {
  const needed = fields.filter((field) => isNeeded(field) && field.default === undefined);
  const required = use === "change" ? [] : needed.map((field) => field.key);
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      fields.map((field) => [field.key, described(field, sentSchema(field, use))]),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** What is answered for them: every field is there, null or an empty list where it has no value. */
export function outputSchema(fields: readonly Field[]): Schema {
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      fields.map((field) => [field.key, described(field, shownSchema(field))]),
    ),
    required: fields.map((field) => field.key),
  };
}

/** Whether an empty value is refused: a list that needs rows is never empty. */
function isNeeded(field: Field): boolean {
  return field.required || (field.type === "line_items" && (field.min_rows ?? 0) > 0);
}

function described(field: Field, schema: Schema): Schema {
  return {
    title: field.label,
    ...schema,
    ...(field.type === "computed"
      ? { readOnly: true, description: `Computed: ${field.formula}` }
      : {}),
  };
}

function sentSchema(field: Field, use: "create" | "change" | "row"): Schema {
  // Ignored when it is sent, whatever it is.
  if (field.type === "computed") return {};
  const value = valueSchema(field, use === "change" ? "row" : use);
  // In words: generators take a field with a `default` for one that is always there.
  const schema =
    use === "change" || field.default === undefined ? value : withDefault(value, field);
  if (isNeeded(field)) return notEmpty(field, schema);
  return nullable(schema);
}

function withDefault(schema: Schema, field: Field): Schema {
  const said = `Default: ${JSON.stringify(field.default)}.`;
  const before = schema["description"];
  return { ...schema, description: typeof before === "string" ? `${before} ${said}` : said };
}

function shownSchema(field: Field): Schema {
  if (field.type === "line_items") return { type: "array", items: outputSchema(field.fields) };
  if (field.type === "multi_select") return { type: "array", items: { type: "string" } };
  const type = valueType(field);
  if (type === "number" || type === "boolean") return { type: [type, "null"] };
  return { type: ["string", "null"], ...formatOf(type) };
}

function formatOf(type: Field["type"]): Schema {
  if (type === "datetime") return { format: "date-time" };
  return type === "date" ? { pattern: day } : {};
}

/** The empty string and the empty list are no values, and so not enough where one is required. */
function notEmpty(field: Field, schema: Schema): Schema {
  const atLeastOne = (name: string) => ({
    ...schema,
    [name]: Math.max(1, Number(schema[name] ?? 1)),
  });
  if (isList(field)) return atLeastOne("minItems");
  return schema["type"] === "string" && !("enum" in schema) ? atLeastOne("minLength") : schema;
}

function nullable(schema: Schema): Schema {
  const listed = schema["enum"];
  return {
    ...schema,
    type: [schema["type"], "null"],
    ...(Array.isArray(listed) ? { enum: [...(listed as unknown[]), null] } : {}),
  };
}

function valueSchema(field: Exclude<Field, { type: "computed" }>, use: "create" | "row"): Schema {
  switch (field.type) {
    case "text":
    case "multiline_text":
      return textSchema(field);
    case "number":
      return {
        type: field.integer || field.decimals === 0 ? "integer" : "number",
        minimum: field.minimum ?? -largest,
        maximum: field.maximum ?? largest,
        ...(field.decimals ? { description: `At most ${field.decimals} decimals.` } : {}),
      };
    case "boolean":
      return { type: "boolean" };
    case "date":
      return { type: "string", pattern: day };
    case "datetime":
      return { type: "string", format: "date-time" };
    case "email":
      return { type: "string", format: "email", maxLength: 254 };
    case "url":
      return {
        type: "string",
        pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]\\S*$",
        maxLength: 2000,
      };
    case "phone":
      return { type: "string", pattern: phone, maxLength: 40 };
    case "select":
      return { type: "string", enum: valuesOf(field.options) };
    case "multi_select":
      return {
        type: "array",
        uniqueItems: true,
        items: { type: "string", enum: valuesOf(field.options) },
      };
    case "line_items":
      return {
        type: "array",
        ...(field.min_rows === undefined ? {} : { minItems: field.min_rows }),
        maxItems: field.max_rows,
        items: inputSchema(field.fields, use === "create" ? "row" : use),
      };
  }
}

function textSchema({ min_length: minLength, max_length: maxLength, pattern }: TextField): Schema {
  return {
    type: "string",
    ...(minLength === undefined ? {} : { minLength }),
    maxLength,
    ...(pattern === undefined ? {} : { pattern }),
  };
}

function valuesOf(options: readonly Option[]): string[] {
  return options.map((option) => option.value);
}
