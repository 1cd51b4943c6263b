import {
  ref,
  timestampSchema,
  type Schema,
  closedObject,
  keyName,
  listSchema,
  enumSchema,
  openObject,
} from "./schema.ts";
import { dataSuffixes, isChangeUse, isDraftUse, type DataUse } from "./data-uses.ts";
import { mustBeSent, rejectsEmpty } from "#domain/definition/required.ts";
import {
  fieldKeyPattern,
  isListField,
  valueType,
  type Field,
  type TextField,
} from "#domain/definition/field.ts";

const phonePattern = "^[ ().\\-/]*\\+?(?:[ ().\\-/]*[0-9]){5,15}[ ().\\-/]*$";
const emailPattern =
  "^(?:[A-Za-z0-9_'+-]+\\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$";
/** The host part excludes delimiters and characters that are invalid in hosts. */
const urlPattern =
  "^[Hh][Tt][Tt][Pp][Ss]?://[/\\\\]*(?:[^\\s/?#\\\\]*@)?(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s/?#\\\\@:\\[\\]<>^|]+)(?::\\d{0,5})?(?:[/?#\\\\]\\S*)?$";
const maxNumber = Number.MAX_SAFE_INTEGER;
/** Text without U+0000. */
export const storableText: Schema = { type: "string", pattern: "^[^\\u0000]*$" };
/** A calendar day. Every document has a schema of this name. */
export const daySchema = ref("schemas", "CalendarDay");
/** A date-time in a request. Every document has a schema of this name. */
export const dateTimeInput = ref("schemas", "DateTimeInput");

const yearPattern = "(?:[1-9]\\d{3}|0[1-9]\\d\\d|00[1-9]\\d|000[1-9])";
/** Valid calendar days in the years 0001 to 9999, including leap days. `dash` separates the parts. */
const dayPattern = (dash: "-" | "") =>
  [
    `${yearPattern}${dash}(?:(?:0[13578]|1[02])${dash}(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)${dash}(?:0[1-9]|[12]\\d|30)|02${dash}(?:0[1-9]|1\\d|2[0-8]))`,
    `(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)${dash}02${dash}29`,
  ].join("|");
export const calendarDaySchema: Schema = {
  type: "string",
  description: "A calendar day with its offset. Requests may omit the offset.",
  pattern: `^(?:${dayPattern("-")})(?:Z|[+-](?:0\\d|1[0-5]):[0-5]\\d)?$`,
};

/** A reference in a request. Documents of collections with references have a schema of this name. */
export const recordReferenceSchema: Schema = {
  description:
    'The record\'s ID or receipt number, or an object with one unique field of its app, like `{ "email": "yamada@example.com" }`. Responses contain the ID.',
  anyOf: [
    { ...storableText, minLength: 1 },
    {
      type: "object",
      propertyNames: { pattern: fieldKeyPattern.source },
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: { type: ["string", "number", "boolean"] },
    },
  ],
};

const offsetPattern = "(?:[Zz]|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)";
const timePattern = (colon: ":" | "") =>
  `(?:[01]\\d|2[0-3])${colon}[0-5]\\d(?:${colon}(?:[0-5]\\d|60)(?:\\.\\d{1,9})?)?`;
/** `toUtcDateTime` accepts the same texts. The first option gives generators their type for date-times. */
export const dateTimeInputSchema: Schema = {
  description:
    "RFC 3339, like 2026-11-21T09:30:00+09:00. Also accepted: a space instead of T, no seconds, offsets like +0900 and +09, and the basic format 20261121T093000Z.",
  anyOf: [
    { ...timestampSchema, pattern: `^${yearPattern}-[^.]*(?:\\.\\d{1,9}[^\\d].*)?$` },
    {
      type: "string",
      pattern: `^(?:(?:${dayPattern("-")})[Tt ]${timePattern(":")}|(?:${dayPattern("")})[Tt]${timePattern("")})${offsetPattern}$`,
    },
  ],
};

/** Returns the schemas of item data with these fields. Their rows and options also have named schemas. */
export function dataSchemas(
  schemaName: string,
  fields: readonly Field[],
  uses: readonly DataUse[],
): Schema {
  const inputSchemas = uses.map(
    (use) => [schemaName + dataSuffixes[use], inputDataSchema(schemaName, fields, use)] as const,
  );
  return {
    ...rowAndOptionSchemas(schemaName, fields, uses),
    ...Object.fromEntries(inputSchemas),
    [`${schemaName}Data`]: outputDataSchema(schemaName, fields),
    [`${schemaName}SomeData`]: {
      ...outputDataSchema(schemaName, fields, []),
      description: "The fields that you requested or sent.",
    },
  };
}

function rowAndOptionSchemas(
  schemaName: string,
  fields: readonly Field[],
  uses: readonly DataUse[],
): Schema {
  const schemas = fields.map((field): Schema => {
    const name = schemaName + keyName(field.key);
    if (field.type === "select" || field.type === "multi_select") {
      return { [`${name}Option`]: enumSchema(field.options.map((option) => option.value)) };
    }
    if (field.type !== "line_items") return {};
    const row = `${name}Row`;
    // A change replaces whole rows, so rows need no schema for changes.
    const rowUses = (["create", "draft"] as const).filter((use) => uses.includes(use));
    const inputSchemas = rowUses.map(
      (use) => [row + dataSuffixes[use], inputDataSchema(row, field.fields, use)] as const,
    );
    return {
      ...rowAndOptionSchemas(row, field.fields, rowUses),
      ...Object.fromEntries(inputSchemas),
      [row]: outputDataSchema(row, field.fields),
    };
  });
  return Object.assign({}, ...schemas) as Schema;
}

function inputDataSchema(schemaName: string, fields: readonly Field[], use: DataUse): Schema {
  const properties = fields.map(
    (field) => [field.key, inputSchema(schemaName, field, use)] as const,
  );
  const required = use === "create" ? fields.filter(mustBeSent).map(({ key }) => key) : [];
  return closedObject(Object.fromEntries(properties), required);
}

/**
 * Returns the schema of data in a response. Every field is present, and fields without a value are null or an empty
 * list.
 */
function outputDataSchema(
  schemaName: string,
  fields: readonly Field[],
  required?: string[],
): Schema {
  const properties = fields.map(
    (field) =>
      [
        field.key,
        withTitle(field, outputSchema(schemaName, field), required === undefined),
      ] as const,
  );
  return openObject(Object.fromEntries(properties), required);
}

/**
 * Adds the label to the schema. Only the schemas of creates and of full items have labels, which would dominate large
 * documents.
 */
function withTitle(field: Field, schema: Schema, showLabel = false): Schema {
  const formula =
    field.type === "computed" ? { readOnly: true, description: `Computed: ${field.formula}` } : {};
  const describedSchema = { ...schema, ...formula };
  if (!showLabel) return describedSchema;
  const sentences = [field.help, describedSchema["description"]].filter((text) => text);
  const description = sentences.length > 0 ? { description: sentences.join(" ") } : {};
  return { title: field.label, ...describedSchema, ...description };
}

function inputSchema(schemaName: string, field: Field, use: DataUse): Schema {
  // The server ignores values of computed fields in requests.
  if (field.type === "computed")
    return withTitle(field, outputSchema(schemaName, field), use === "create");
  const value = valueSchema(schemaName, field, use);
  const valueOrNull =
    !isDraftUse(use) && rejectsEmpty(field) ? nonEmpty(field, value) : nullable(value);
  const isIncrementable = field.type === "number" && (use === "change" || use === "draftChange");
  const schema = isIncrementable
    ? { anyOf: [valueOrNull, ref("schemas", "Increment")] }
    : valueOrNull;
  // The description states the default, because generators treat fields with `default` as always present.
  const defaultText =
    field.default === undefined ? [] : [`Default: ${JSON.stringify(field.default)}.`];
  const decimalsText =
    "decimals" in field && field.decimals ? [`At most ${field.decimals} decimals.`] : [];
  const sentences = isChangeUse(use) ? decimalsText : [...decimalsText, ...defaultText];
  const describedSchema =
    sentences.length > 0 ? { ...schema, description: sentences.join(" ") } : schema;
  return withTitle(field, describedSchema, use === "create");
}

function outputSchema(schemaName: string, field: Field): Schema {
  if (field.type === "line_items")
    return listSchema(ref("schemas", `${schemaName}${keyName(field.key)}Row`));
  if (field.type === "multi_select") return listSchema({ type: "string" });
  if (field.type === "files") return listSchema(ref("schemas", "AttachedFile"));
  const type = valueType(field);
  switch (type) {
    case "number":
    case "boolean":
      return { type: [type, "null"] };
    case "datetime":
      return nullable(timestampSchema);
    case "date":
      return nullable(daySchema);
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
    case "select":
    case "reference":
    case "multi_select":
    case "line_items":
    case "files":
      return { type: ["string", "null"] };
  }
}

/** A required field rejects the empty string and the empty list. */
function nonEmpty(field: Field, schema: Schema): Schema {
  const keyword = isListField(field) ? "minItems" : "minLength";
  return isListField(field) ||
    (schema["type"] === "string" && !("format" in schema && schema["format"] === "date-time"))
    ? { ...schema, [keyword]: Math.max(1, Number(schema[keyword] ?? 1)) }
    : schema;
}

function nullable(schema: Schema): Schema {
  return "$ref" in schema
    ? { anyOf: [schema, { type: "null" }] }
    : { ...schema, type: [schema["type"], "null"] };
}

function valueSchema(
  schemaName: string,
  field: Exclude<Field, { type: "computed" }>,
  use: DataUse,
): Schema {
  const name = schemaName + keyName(field.key);
  switch (field.type) {
    case "text":
    case "multiline_text":
      return textSchema(field);
    case "number": {
      const isWhole = field.integer === true || field.decimals === 0;
      return {
        ...(isWhole ? { type: "integer", format: "int64" } : { type: "number" }),
        minimum: field.minimum ?? -maxNumber,
        maximum: field.maximum ?? maxNumber,
      };
    }
    case "boolean":
      return { type: "boolean" };
    case "date":
      return daySchema;
    case "datetime":
      return dateTimeInput;
    case "email":
      return { type: "string", format: "email", pattern: emailPattern, maxLength: 254 };
    case "url":
      return { type: "string", pattern: urlPattern, maxLength: 2000 };
    case "phone":
      return { type: "string", pattern: phonePattern, maxLength: 40 };
    case "select":
      return ref("schemas", `${name}Option`);
    case "reference":
      return ref("schemas", "RecordReference");
    case "multi_select":
      return { ...listSchema(ref("schemas", `${name}Option`)), uniqueItems: true };
    case "files":
      return { ...listSchema(ref("schemas", "FileReference")), maxItems: field.max_files };
    case "line_items": {
      const lengthLimit =
        isDraftUse(use) || field.min_rows === undefined ? {} : { minItems: field.min_rows };
      const row = `${name}Row${dataSuffixes[isDraftUse(use) ? "draft" : "create"]}`;
      return { ...listSchema(ref("schemas", row)), ...lengthLimit, maxItems: field.max_rows };
    }
  }
}

function textSchema({ min_length: minLength, max_length: maxLength, pattern }: TextField): Schema {
  return {
    ...storableText,
    ...(minLength === undefined ? {} : { minLength }),
    maxLength,
    ...(pattern === undefined ? {} : { pattern }),
  };
}
