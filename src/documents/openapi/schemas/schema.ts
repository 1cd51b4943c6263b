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
