import { list, ref, text, typeName, type Schema } from "./schema";

/** One schema for each type of field; line items have columns of the others. */
export function fieldDefinitions(field: Schema): Schema {
  const types = (field["oneOf"] as Schema[]).map((each) => {
    const type = (each["properties"] as Record<string, Schema>)["type"]?.["const"] as string;
    return { type, name: `${typeName(type)}Definition`, schema: ownDefault(each, type) };
  });
  const columns = types.filter(({ type }) => type !== "line_items");
  return {
    FieldDefinition: unionOf(types),
    ColumnDefinition: unionOf(columns),
    ...Object.fromEntries(types.map(({ name, schema }) => [name, schema])),
  };
}

function unionOf(types: readonly { type: string; name: string }[]): Schema {
  const mapping = types.map(({ type, name }) => [type, `#/components/schemas/${name}`] as const);
  return {
    oneOf: types.map(({ name }) => ref("schemas", name)),
    discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
  };
}

/** A default has the type of the field's values; and keys of before are the server's. */
function ownDefault(schema: Schema, type: string): Schema {
  const properties = { ...(schema["properties"] as Record<string, Schema>) };
  if ("default" in properties) properties["default"] = defaultOf(type);
  if (type === "line_items")
    properties["fields"] = { ...properties["fields"], items: ref("schemas", "ColumnDefinition") };
  properties["previous_keys"] = { ...list(text), readOnly: true };
  return { ...schema, properties };
}

function defaultOf(type: string): Schema {
  switch (type) {
    case "number":
    case "boolean":
      return { type: [type, "null"] };
    case "multi_select":
      return { ...list(text), type: ["array", "null"] };
    case "line_items":
      return { ...list({ type: "object", additionalProperties: true }), type: ["array", "null"] };
    default:
      return { type: ["string", "null"] };
  }
}
