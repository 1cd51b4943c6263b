import type * as z from "zod/mini";

/** A JSON Schema (2020-12), which is what OpenAPI 3.1 speaks; or another part of a document. */
export type Schema = Record<string, unknown>;

export const text: Schema = { type: "string" };
export const uri: Schema = { type: "string", format: "uri" };

export const stamp: Schema = { type: "string", format: "date-time" };
/** Up to 2^53 − 1, which 32 bits do not hold. */
export const count: Schema = { type: "integer", format: "int64", minimum: 0 };
export const version: Schema = { ...count, minimum: 1 };

export function list(items: Schema): Schema {
  return { type: "array", items };
}

export function oneOfTexts(values: readonly string[]): Schema {
  return { type: "string", enum: [...values] };
}

/** What is sent: a property that is not named is refused. */
export function closed(properties: Schema, required: readonly string[]): Schema {
  return { type: "object", additionalProperties: false, ...told(properties, required) };
}

/** What is answered: there may be more members in time. */
export function open(properties: Schema, required = Object.keys(properties)): Schema {
  return { type: "object", ...told(properties, required) };
}

function told(properties: Schema, required: readonly string[]): Schema {
  return { properties, ...(required.length > 0 ? { required } : {}) };
}

export function ref(section: string, name: string): Schema {
  return { $ref: `#/components/${section}/${name}` };
}

/** `version_mismatch` as the name of a type: `VersionMismatch`. */
export function typeName(words: string): string {
  return words.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A key as part of a name: no two keys give the same. `purchase-orders` is `PurchaseOrders`, `unit_price` `Unit_price`. */
export function keyName(key: string): string {
  return key.replace(/^[a-z]|-[a-z]/g, (start) => start.slice(-1).toUpperCase());
}

/** The parts of zod's definitions that our documents use. */
interface Def {
  type: string;
  format?: string;
  shape?: Record<string, Part>;
  element?: Part;
  innerType?: Part;
  in?: Part;
  options?: Part[];
  entries?: Record<string, string>;
  values?: unknown[];
  checks?: { _zod: { def: CheckDef } }[];
}
interface CheckDef {
  check: string;
  minimum?: number;
  maximum?: number;
  value?: number;
  pattern?: RegExp;
}
interface Part {
  _zod: { def: Def };
}

/**
 * The JSON Schema of what a zod schema reads. zod's own converter knows everything that zod does, and takes ten times
 * the space in the bundle.
 */
export function schemaOfZod(schema: z.core.$ZodType): Schema {
  return schemaOf(schema);
}

function schemaOf({ _zod: { def } }: Part): Schema {
  return {
    ...typed(def),
    ...Object.assign({}, ...(def.checks ?? []).map((each) => ruled(def, each._zod.def))),
  };
}

function typed(def: Def): Schema {
  switch (def.type) {
    case "object":
      return objectOf(def.shape ?? {});
    case "array":
      return { type: "array", items: def.element ? schemaOf(def.element) : {} };
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
      return { oneOf: (def.options ?? []).map(schemaOf) };
    case "nullable":
      return nullable(def.innerType ? schemaOf(def.innerType) : {});
    case "optional":
    case "default":
      return def.innerType ? schemaOf(def.innerType) : {};
    case "pipe":
      return def.in ? schemaOf(def.in) : {};
    case "unknown":
      return {};
    default:
      throw new Error(`A zod schema of type ${def.type} has no JSON Schema here.`);
  }
}

function objectOf(shape: Record<string, Part>): Schema {
  const entries = Object.entries(shape);
  const optional = ["optional", "default", "unknown"];
  const required = entries.filter(
    ([
      ,
      {
        _zod: { def },
      },
    ]) => !optional.includes(def.type),
  );
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(entries.map(([key, part]) => [key, schemaOf(part)])),
    ...(required.length > 0 ? { required: required.map(([key]) => key) } : {}),
  };
}

function nullable(schema: Schema): Schema {
  return typeof schema["type"] === "string"
    ? { ...schema, type: [schema["type"], "null"] }
    : schema;
}

function ruled({ type }: Def, rule: CheckDef): Schema {
  const list = type === "array";
  switch (rule.check) {
    case "min_length":
      return { [list ? "minItems" : "minLength"]: rule.minimum };
    case "max_length":
      return { [list ? "maxItems" : "maxLength"]: rule.maximum };
    case "greater_than":
      return { minimum: rule.value };
    case "less_than":
      return { maximum: rule.value };
    case "string_format":
      return rule.pattern ? { pattern: rule.pattern.source } : {};
    default:
      // What a function checks stands in words, in the reason that it gives.
      return {};
  }
}
