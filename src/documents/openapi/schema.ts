import type * as z from "zod/mini";

/** A JSON Schema (2020-12, as in OpenAPI 3.1), or another part of a document. */
export type Schema = Record<string, unknown>;

export const stringSchema: Schema = { type: "string" };
export const uriSchema: Schema = { type: "string", format: "uri" };

export const timestampSchema: Schema = { type: "string", format: "date-time" };
/** Up to 2^53 − 1, so `int32` is too small. */
export const countSchema: Schema = { type: "integer", format: "int64", minimum: 0 };
export const versionSchema: Schema = { ...countSchema, minimum: 1 };

export function listSchema(items: Schema): Schema {
  return { type: "array", items };
}

export function enumSchema(values: readonly string[]): Schema {
  return { type: "string", enum: [...values] };
}

/** An object in a request. Unknown properties are rejected. */
export function closedObject(properties: Schema, required: readonly string[]): Schema {
  return { type: "object", additionalProperties: false, ...objectMembers(properties, required) };
}

/** An object in a response. Later releases may add members. */
export function openObject(properties: Schema, required = Object.keys(properties)): Schema {
  return { type: "object", ...objectMembers(properties, required) };
}

function objectMembers(properties: Schema, required: readonly string[]): Schema {
  return { properties, ...(required.length > 0 ? { required } : {}) };
}

export const mergeSchemas = (parts: Schema[]): Schema => Object.assign({}, ...parts) as Schema;

export function ref(section: string, name: string): Schema {
  return { $ref: `#/components/${section}/${name}` };
}

/** Turns `version_mismatch` into the type name `VersionMismatch`. */
export function typeName(words: string): string {
  return words.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Turns a key into a unique part of a name. `purchase-orders` becomes `PurchaseOrders`, `unit_price` `Unit_price`. */
export function keyName(key: string): string {
  return key.replace(/^[a-z]|-[a-z]/g, (start) => start.slice(-1).toUpperCase());
}

/** The parts of zod's definitions that the documents use. */
interface ZodDef {
  type: string;
  format?: string;
  shape?: Record<string, ZodPart>;
  element?: ZodPart;
  innerType?: ZodPart;
  in?: ZodPart;
  options?: ZodPart[];
  entries?: Record<string, string>;
  values?: unknown[];
  checks?: { _zod: { def: ZodCheck } }[];
}
interface ZodCheck {
  check: string;
  minimum?: number;
  maximum?: number;
  value?: number;
  pattern?: RegExp;
}
interface ZodPart {
  _zod: { def: ZodDef };
}

/**
 * Returns the JSON Schema of a zod schema's input. zod's own converter supports all of zod, but takes ten times
 * as much of the bundle.
 */
export function toJsonSchema(schema: z.core.$ZodType): Schema {
  return partSchema(schema);
}

function partSchema({ _zod: { def } }: ZodPart): Schema {
  return {
    ...baseSchema(def),
    ...Object.assign({}, ...(def.checks ?? []).map((check) => ruleSchema(def, check._zod.def))),
  };
}

function baseSchema(def: ZodDef): Schema {
  switch (def.type) {
    case "object":
      return objectSchema(def.shape ?? {});
    case "array":
      return { type: "array", items: def.element ? partSchema(def.element) : {} };
    case "string":
    case "boolean":
      return { type: def.type };
    case "number":
      return def.format === "safeint" ? { type: "integer", format: "int64" } : { type: "number" };
    case "enum":
      return { type: "string", enum: Object.values(def.entries ?? {}) };
    case "literal":
      return { type: "string", const: def.values?.[0] };
    case "union":
      return { oneOf: (def.options ?? []).map(partSchema) };
    case "nullable":
      return nullable(def.innerType ? partSchema(def.innerType) : {});
    case "optional":
    case "default":
      return def.innerType ? partSchema(def.innerType) : {};
    case "pipe":
      return def.in ? partSchema(def.in) : {};
    case "unknown":
      return {};
    default:
      throw new Error(`A zod schema of type ${def.type} has no JSON Schema here.`);
  }
}

function objectSchema(shape: Record<string, ZodPart>): Schema {
  const entries = Object.entries(shape);
  const optionalTypes = ["optional", "default", "unknown"];
  const required = entries.filter(
    ([
      ,
      {
        _zod: { def },
      },
    ]) => !optionalTypes.includes(def.type),
  );
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(entries.map(([key, part]) => [key, partSchema(part)])),
    ...(required.length > 0 ? { required: required.map(([key]) => key) } : {}),
  };
}

function nullable(schema: Schema): Schema {
  if (typeof schema["type"] !== "string") return schema;
  const values = schema["enum"];
  const options = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  return { ...schema, ...options, type: [schema["type"], "null"] };
}

function ruleSchema({ type }: ZodDef, rule: ZodCheck): Schema {
  const isList = type === "array";
  switch (rule.check) {
    case "min_length":
      return { [isList ? "minItems" : "minLength"]: rule.minimum };
    case "max_length":
      return { [isList ? "maxItems" : "maxLength"]: rule.maximum };
    case "greater_than":
      return { minimum: rule.value };
    case "less_than":
      return { maximum: rule.value };
    case "string_format":
      return rule.pattern ? { pattern: rule.pattern.source } : {};
    default:
      // JSON Schema cannot express checks that are functions. Their field errors explain the rule.
      return {};
  }
}
