import type * as z from "zod/mini";
import type { Schema } from "./schema";

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
