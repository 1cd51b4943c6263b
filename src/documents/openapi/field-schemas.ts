import { ref, stamp, type Schema, closed, keyName, list, oneOfTexts, open } from "./schema.ts";
import { isList, valueType, type Field, type TextField } from "#domain/definition/field.ts";

export const phone = "^[ ().\\-/]*\\+?(?:[ ().\\-/]*[0-9]){5,15}[ ().\\-/]*$";
export const email =
  "^(?:[A-Za-z0-9_'+-]+\\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$";
/** A host holds none of what ends it, and of the characters that no host has. */
export const url =
  "^[Hh][Tt][Tt][Pp][Ss]?://[/\\\\]*(?:[^\\s/?#\\\\]*@)?(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s/?#\\\\@:\\[\\]<>^|]+)(?::\\d{0,5})?(?:[/?#\\\\]\\S*)?$";
export const largest = Number.MAX_SAFE_INTEGER;
/** Text without U+0000. */
export const storable: Schema = { type: "string", pattern: "^[^\\u0000]*$" };
/** A calendar day: the schemas of every document have it under this name. */
export const day = ref("schemas", "CalendarDay");
/** In the years 0001 to 9999. */
export const moment: Schema = { ...stamp, pattern: "^(?:[1-9]|0[1-9]|00[1-9]|000[1-9])" };

/** Days that the calendar has, leap years included. */
const year = "(?:[1-9]\\d{3}|0[1-9]\\d\\d|00[1-9]\\d|000[1-9])";
const calendarDays = [
  `${year}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))`,
  "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29",
].join("|");
export const calendarDay: Schema = {
  type: "string",
  description: "A calendar day, with its offset; what is sent may leave the offset out.",
  pattern: `^(?:${calendarDays})(?:Z|[+-](?:0\\d|1[0-5]):[0-5]\\d)?$`,
};

/** What is sent: for a new item, for a draft, of which nothing is required, or to change an item. */
export type Use = "create" | "draft" | "change";

/** The names under which the schemas of data are kept. */
export const dataNames = {
  create: "Input",
  draft: "DraftInput",
  change: "ChangeInput",
} as const satisfies Record<Use, string>;

/** The schemas of the data of items with these fields; of their rows and options too, under names of their own. */
export function dataSchemas(one: string, fields: readonly Field[], uses: readonly Use[]): Schema {
  const sent = uses.map((use) => [one + dataNames[use], sentData(one, fields, use)] as const);
  return {
    ...rowsAndOptions(one, fields, uses),
    ...Object.fromEntries(sent),
    [`${one}Data`]: shownData(one, fields),
    [`${one}SomeData`]: {
      ...shownData(one, fields, []),
      description: "The fields that were asked for, or that were sent.",
    },
  };
}

function rowsAndOptions(one: string, fields: readonly Field[], uses: readonly Use[]): Schema {
  const named = fields.map((field): Schema => {
    const name = one + keyName(field.key);
    if (field.type === "select" || field.type === "multi_select") {
      return { [`${name}Option`]: oneOfTexts(field.options.map((option) => option.value)) };
    }
    if (field.type !== "line_items") return {};
    const row = `${name}Row`;
    // What a change sends of rows are whole rows.
    const rowUses = (["create", "draft"] as const).filter((use) => uses.includes(use));
    const sent = rowUses.map(
      (use) => [row + dataNames[use], sentData(row, field.fields, use)] as const,
    );
    return {
      ...rowsAndOptions(row, field.fields, rowUses),
      ...Object.fromEntries(sent),
      [row]: shownData(row, field.fields),
    };
  });
  return Object.assign({}, ...named) as Schema;
}

function sentData(one: string, fields: readonly Field[], use: Use): Schema {
  const properties = fields.map((field) => [field.key, sentSchema(one, field, use)] as const);
  const needed = fields.filter((field) => isNeeded(field) && field.default === undefined);
  const required = use === "create" ? needed.map((field) => field.key) : [];
  return closed(Object.fromEntries(properties), required);
}

/** Every field is there, null or an empty list where it has no value. */
function shownData(one: string, fields: readonly Field[], required?: string[]): Schema {
  const properties = fields.map(
    (field) => [field.key, titled(field, shownSchema(one, field), required === undefined)] as const,
  );
  return open(Object.fromEntries(properties), required);
}

/** Whether an empty value is refused: a list that needs rows is never empty. */
function isNeeded(field: Field): boolean {
  return field.required || (field.type === "line_items" && (field.min_rows ?? 0) > 0);
}

/** Labels stand in what a new item is and in what all are; said everywhere, they would be most of a large document. */
function titled(field: Field, schema: Schema, label = false): Schema {
  const formula =
    field.type === "computed" ? { readOnly: true, description: `Computed: ${field.formula}` } : {};
  return { ...(label ? { title: field.label } : {}), ...schema, ...formula };
}

function sentSchema(one: string, field: Field, use: Use): Schema {
  // Ignored when it is sent, whatever it is.
  if (field.type === "computed") return titled(field, shownSchema(one, field), use === "create");
  const value = valueSchema(one, field, use);
  const schema = use !== "draft" && isNeeded(field) ? notEmpty(field, value) : nullable(value);
  // In words: generators take a field with a `default` for one that is always there.
  const filled = field.default === undefined ? [] : [`Default: ${JSON.stringify(field.default)}.`];
  const decimals =
    "decimals" in field && field.decimals ? [`At most ${field.decimals} decimals.`] : [];
  const words = use === "change" ? decimals : [...decimals, ...filled];
  const said = words.length > 0 ? { ...schema, description: words.join(" ") } : schema;
  return titled(field, said, use === "create");
}

function shownSchema(one: string, field: Field): Schema {
  if (field.type === "line_items") return list(ref("schemas", `${one}${keyName(field.key)}Row`));
  if (field.type === "multi_select") return list({ type: "string" });
  const type = valueType(field);
  switch (type) {
    case "number":
    case "boolean":
      return { type: [type, "null"] };
    case "datetime":
      return nullable(stamp);
    case "date":
      return nullable(day);
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
    case "select":
    case "multi_select":
    case "line_items":
      return { type: ["string", "null"] };
  }
}

/** The empty string and the empty list are no values, and so not enough where one is required. */
function notEmpty(field: Field, schema: Schema): Schema {
  const least = isList(field) ? "minItems" : "minLength";
  return isList(field) ||
    (schema["type"] === "string" && !("format" in schema && schema["format"] === "date-time"))
    ? { ...schema, [least]: Math.max(1, Number(schema[least] ?? 1)) }
    : schema;
}

function nullable(schema: Schema): Schema {
  return "$ref" in schema
    ? { anyOf: [schema, { type: "null" }] }
    : { ...schema, type: [schema["type"], "null"] };
}

function valueSchema(one: string, field: Exclude<Field, { type: "computed" }>, use: Use): Schema {
  const name = one + keyName(field.key);
  switch (field.type) {
    case "text":
    case "multiline_text":
      return textSchema(field);
    case "number": {
      const whole = field.integer === true || field.decimals === 0;
      return {
        ...(whole ? { type: "integer", format: "int64" } : { type: "number" }),
        minimum: field.minimum ?? -largest,
        maximum: field.maximum ?? largest,
      };
    }
    case "boolean":
      return { type: "boolean" };
    case "date":
      return day;
    case "datetime":
      return moment;
    case "email":
      return { type: "string", format: "email", pattern: email, maxLength: 254 };
    case "url":
      return { type: "string", pattern: url, maxLength: 2000 };
    case "phone":
      return { type: "string", pattern: phone, maxLength: 40 };
    case "select":
      return ref("schemas", `${name}Option`);
    case "multi_select":
      return { ...list(ref("schemas", `${name}Option`)), uniqueItems: true };
    case "line_items": {
      const least =
        use === "draft" || field.min_rows === undefined ? {} : { minItems: field.min_rows };
      const row = `${name}Row${dataNames[use === "draft" ? "draft" : "create"]}`;
      return { ...list(ref("schemas", row)), ...least, maxItems: field.max_rows };
    }
  }
}

function textSchema({ min_length: minLength, max_length: maxLength, pattern }: TextField): Schema {
  return {
    ...storable,
    ...(minLength === undefined ? {} : { minLength }),
    maxLength,
    ...(pattern === undefined ? {} : { pattern }),
  };
}
