import type { Schema } from "./schema.ts";

const prefix = "#/components/";
/** Values of others: what looks like a reference there is none. */
const values = ["enum", "example", "const", "default"];

/** Every reference in a part of a document, as `section/name`. */
export function refsIn(part: unknown, found = new Set<string>()): Set<string> {
  if (typeof part !== "object" || part === null) return found;
  for (const [key, value] of Object.entries(part)) {
    if (key === "$ref" && typeof value === "string") found.add(value.slice(prefix.length));
    else if (!values.includes(key)) refsIn(value, found);
  }
  return found;
}

/** The components that these paths lead to, and those that they lead to in turn. */
export function reachable(paths: Schema, components: Record<string, Schema>): Schema {
  const found = refsIn(paths);
  // A set goes on with what is added while it is walked.
  for (const at of found) {
    const [section = "", name = ""] = at.split("/");
    refsIn(components[section]?.[name], found);
  }
  const kept = Object.entries(components).map(
    ([section, parts]) =>
      [
        section,
        Object.fromEntries(
          Object.entries(parts).filter(([name]) => found.has(`${section}/${name}`)),
        ),
      ] as const,
  );
  return Object.fromEntries(kept.filter(([, parts]) => Object.keys(parts).length > 0));
}

/** The versions of OpenAPI that documents are rendered in. */
export const versions = ["3.0", "3.1"] as const;
export type Version = (typeof versions)[number];

/** What is told by names of ours, and what is a value of somebody's: neither is a schema itself. */
const maps = ["properties", "schemas", "examples"];
const valuesOfRendering = ["example", "value", "enum", "default", "required"];

/** Schemas by their names, and the names of those that are asked for with null besides. */
interface Named {
  schemas: Record<string, Schema>;
  orNull: Set<string>;
}

/** A document as OpenAPI 3.0.3 says it, for generators that know no later one. */
export function inVersion30(document: Schema): Schema {
  const { securitySchemes, ...components } = document["components"] as Record<string, Schema>;
  const named: Named = {
    schemas: components["schemas"] as Record<string, Schema>,
    orNull: new Set(),
  };
  const { paths, ...rest } = older({ ...document, components }, named) as Record<string, Schema>;
  const parts = rest["components"] as Record<string, Schema>;
  const nullable = [...named.orNull].map((name) => [
    name + orNull,
    nullableOf(named.schemas[name]),
  ]);
  parts["schemas"] = { ...parts["schemas"], ...Object.fromEntries(nullable) };
  return {
    ...rest,
    openapi: "3.0.3",
    paths,
    components: { ...reachable(paths ?? {}, parts), securitySchemes },
  };
}

const orNull = "OrNull";

function nullableOf({ enum: listed, ...schema }: Schema = {}): Schema {
  const options = Array.isArray(listed) ? { enum: [...(listed as unknown[]), null] } : {};
  return { ...schema, ...options, nullable: true };
}

function older(part: unknown, named: Named, isMap = false): unknown {
  if (Array.isArray(part)) return part.map((each: unknown) => older(each, named));
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) =>
    !isMap && valuesOfRendering.includes(key)
      ? ([key, value] as const)
      : ([key, older(value, named, !isMap && maps.includes(key))] as const),
  );
  const rendered = Object.fromEntries(entries);
  return isMap ? rendered : olderSchema(rendered, named);
}

function olderSchema({ type, const: only, anyOf, $ref, ...rest }: Schema, named: Named): Schema {
  const schema = {
    ...rest,
    ...(only === undefined ? {} : { enum: [only] }),
    ...($ref === undefined ? {} : alone({ $ref }, rest)),
  };
  if (type === "null") return { ...schema, type: "string", enum: [null], nullable: true };
  if (Array.isArray(type)) return { ...schema, type: type[0] as unknown, nullable: true };
  if (type !== undefined) return { type, ...schema };
  if (!Array.isArray(anyOf)) return schema;
  const [first, ...others] = anyOf as Schema[];
  if (!first || !others.some(isNull)) return { ...schema, anyOf };
  // What is referred to does not take null, and nothing that stands beside it would change that.
  const at = String(first["$ref"]);
  named.orNull.add(at.slice(at.lastIndexOf("/") + 1));
  return { ...schema, ...alone({ $ref: at + orNull }, rest) };
}

/** Nothing else may stand beside a reference. */
function alone(reference: Schema, beside: Schema): Schema {
  return Object.keys(beside).length > 0 ? { allOf: [reference] } : reference;
}

/** As `type: "null"` was rendered. */
function isNull({ enum: listed }: Schema): boolean {
  return Array.isArray(listed) && listed[0] === null;
}
