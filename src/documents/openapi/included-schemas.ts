import type { Collection } from "#domain/definition/collection.ts";
import { referencedApps } from "#domain/definition/reference-places.ts";
import { dataSchemas } from "./field-schemas.ts";
import { resourceNames } from "./names.ts";
import { itemProperties } from "./problem-schemas.ts";
import { openObject, ref, stringSchema, type Schema } from "./schema.ts";

/** The apps whose records the responses to a caller can include, by their keys. */
export type IncludedApps = ReadonlyMap<string, Collection>;

/**
 * Returns the schema of `included` in the responses of a collection, and the schema of a record of several apps.
 * Undefined if the collection has no references.
 */
export function includedSchemas(
  schemaName: string,
  { definition }: Collection,
  apps: IncludedApps,
): { included: Schema; schemas: Schema } | undefined {
  const referenced = referencedApps(definition.fields.fields);
  if (referenced.length === 0) return undefined;
  const names = referenced.filter((app) => apps.has(app)).map((app) => resourceNames("app", app));
  const [first] = names;
  if (!first) return { included: includedSchema(ref("schemas", "IncludedRecord")), schemas: {} };
  if (names.length === 1)
    return { included: includedSchema(ref("schemas", first.schemaName)), schemas: {} };
  const name = `${schemaName}Included`;
  const mapping = names.map(
    ({ key, schemaName: record }) => [key, `#/components/schemas/${record}`] as const,
  );
  const record = {
    oneOf: names.map((each) => ref("schemas", each.schemaName)),
    discriminator: { propertyName: "app", mapping: Object.fromEntries(mapping) },
  };
  return { included: includedSchema(ref("schemas", name)), schemas: { [name]: record } };
}

/** Returns the schema of the records that items refer to. */
export const includedSchema = (record: Schema): Schema => ({
  type: "object",
  additionalProperties: record,
  description: "With `expand`: the records that the references name, by their IDs.",
});

/** Returns the schemas of the records of an app that the document does not describe in another place. */
export function recordSchemas({ key, definition }: Collection): Schema {
  const { schemaName } = resourceNames("app", key);
  const appKey = { type: "string", const: key };
  return {
    ...dataSchemas(schemaName, definition.fields.fields, []),
    [schemaName]: openObject(
      itemProperties(
        { app: appKey, receipt_number: stringSchema },
        ref("schemas", `${schemaName}Data`),
      ),
    ),
  };
}
