import type { Schema } from "./schema.ts";

export const componentPrefix = "#/components/";
/** The values of these keys are data. A `$ref` inside them is not a reference. */
const literalKeys = ["enum", "example", "const", "default"];
export const isLiteral = (key: string) => literalKeys.includes(key);
/** Keys whose objects map names to schemas. A field can have the key `default` too. */
const mapKeys = ["properties", "schemas", "examples"];
export const isMap = (key: string) => mapKeys.includes(key);

/** Returns every reference in a part of a document, as `section/name`. */
export function collectRefs(
  part: unknown,
  references = new Set<string>(),
  isInMap = false,
): Set<string> {
  if (typeof part !== "object" || part === null) return references;
  for (const [key, value] of Object.entries(part)) {
    if (isInMap) collectRefs(value, references);
    else if (key === "$ref" && typeof value === "string")
      references.add(value.slice(componentPrefix.length));
    else if (!isLiteral(key)) collectRefs(value, references, isMap(key));
  }
  return references;
}

/** Returns the components that these paths refer to, directly or through other components. */
export function reachableComponents(paths: Schema, components: Record<string, Schema>): Schema {
  const references = collectRefs(paths);
  // Iterating a set also visits the entries that are added during the iteration.
  for (const reference of references) {
    const [section = "", name = ""] = reference.split("/");
    collectRefs(components[section]?.[name], references);
  }
  const reachable = Object.entries(components).map(
    ([section, parts]) =>
      [
        section,
        Object.fromEntries(
          Object.entries(parts).filter(([name]) => references.has(`${section}/${name}`)),
        ),
      ] as const,
  );
  return Object.fromEntries(reachable.filter(([, parts]) => Object.keys(parts).length > 0));
}

/** The versions of OpenAPI in which documents are available. */
export const versions = ["3.0", "3.1"] as const;
export type Version = (typeof versions)[number];

/** Keys whose values are data, not schemas. */
const opaqueKeys = ["example", "value", "enum", "default", "required"];

/** Converts a document to OpenAPI 3.0.3, for generators without support for 3.1. */
export function toVersion30(document: Schema): Schema {
  const { securitySchemes, ...components } = document["components"] as Record<string, Schema>;
  const orNull = new Set<string>();
  const { paths, ...convertedDocument } = downgrade({ ...document, components }, orNull) as Record<
    string,
    Schema
  >;
  const convertedComponents = convertedDocument["components"] as Record<string, Schema>;
  const schemas = convertedComponents["schemas"] as Record<string, Schema>;
  const nullable = [...orNull].map((name) => [name + nullSuffix, toNullable(schemas[name])]);
  convertedComponents["schemas"] = { ...schemas, ...Object.fromEntries(nullable) };
  return {
    ...convertedDocument,
    openapi: "3.0.3",
    paths,
    components: { ...reachableComponents(paths ?? {}, convertedComponents), securitySchemes },
  };
}

const nullSuffix = "OrNull";

function toNullable({ enum: values, ...schema }: Schema = {}): Schema {
  const options = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  return { ...schema, ...options, nullable: true };
}

/** Converts a part of a document. `orNull` collects the names of schemas that need a nullable variant. */
function downgrade(part: unknown, orNull: Set<string>, isInMap = false): unknown {
  if (Array.isArray(part)) return part.map((item: unknown) => downgrade(item, orNull));
  if (typeof part !== "object" || part === null) return part;
  // OpenAPI 3.0 has no `propertyNames`.
  const supportedEntries = Object.entries(part).filter(
    ([key]) => isInMap || key !== "propertyNames",
  );
  const entries = supportedEntries.map(([key, value]) =>
    !isInMap && opaqueKeys.includes(key)
      ? ([key, value] as const)
      : ([key, downgrade(value, orNull, !isInMap && isMap(key))] as const),
  );
  const converted: Schema = Object.fromEntries(entries);
  if (converted["content"] && !isInMap)
    converted["content"] = withTextSchemas(converted["content"]);
  return isInMap ? converted : downgradeSchema(converted, orNull);
}

/** Adds a schema to each media type without one, because the Java generator needs it. Downloads have none in 3.1. */
function withTextSchemas(content: unknown): Schema {
  const entries = Object.entries(content as Record<string, Schema>);
  return Object.fromEntries(
    entries.map(([type, media]) => [type, { schema: { type: "string" }, ...media }]),
  );
}

function downgradeSchema(
  { type, const: constant, anyOf, $ref, ...otherKeywords }: Schema,
  orNull: Set<string>,
): Schema {
  const schema = {
    ...otherKeywords,
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...($ref === undefined ? {} : wrapRef({ $ref }, otherKeywords)),
  };
  if (type === "null") return { ...schema, type: "string", enum: [null], nullable: true };
  // A value of several types, which OpenAPI 3.0 cannot express.
  if (Array.isArray(type) && type.length > 2) return schema;
  if (Array.isArray(type)) return { ...schema, type: type[0] as unknown, nullable: true };
  if (type !== undefined) return { type, ...schema };
  if (!Array.isArray(anyOf)) return schema;
  const [first, ...otherOptions] = anyOf as Schema[];
  // Generators of 3.0 support neither a number or an object nor several formats. The first option then represents all
  // of them.
  if (first && otherOptions.some((option) => isAlternative(first, option)))
    return { ...first, ...schema };
  if (!first || !otherOptions.some(isNullSchema)) return { ...schema, anyOf };
  // The referenced schema rejects null, and keywords next to `$ref` cannot change that, so this refers to a nullable
  // variant.
  const target = String(first["$ref"]);
  orNull.add(target.slice(target.lastIndexOf("/") + 1));
  return { ...schema, ...wrapRef({ $ref: target + nullSuffix }, otherKeywords) };
}

/** OpenAPI 3.0 ignores keywords next to `$ref`, so a reference with siblings moves into `allOf`. */
function wrapRef(reference: Schema, siblings: Schema): Schema {
  return Object.keys(siblings).length > 0 ? { allOf: [reference] } : reference;
}

function isIncrement({ $ref }: Schema): boolean {
  return $ref === "#/components/schemas/Increment";
}

/** Whether the first option represents this one. */
const isAlternative = (first: Schema, option: Schema) =>
  isIncrement(option) || isText(option) || (isText(first) && option["type"] === "object");

/** Whether an option is another format of a text. */
function isText({ type, nullable }: Schema): boolean {
  return type === "string" && nullable !== true;
}

/** Whether a schema is the conversion of `type: "null"`. */
function isNullSchema({ enum: values }: Schema): boolean {
  return Array.isArray(values) && values[0] === null;
}
