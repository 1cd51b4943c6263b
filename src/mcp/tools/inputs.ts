import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { pageLimit } from "#domain/cursor.ts";
import { mostConditions, mostSorts } from "#domain/search/tree.ts";
import { operators, searchFields } from "#domain/search/fields.ts";
import { itemSchemas } from "#documents/openapi/item-schemas.ts";
import { sharedSchemas } from "#documents/openapi/problem-schemas.ts";
import { dataNames, type Use } from "#documents/openapi/field-schemas.ts";
import { nounOf } from "#documents/openapi/names.ts";
import { reachable } from "#documents/openapi/versions.ts";
import { closed, list, oneOfTexts, ref, text, type Schema, schemaOfZod } from "#documents/openapi/schema.ts";
import { parameterSchemas } from "./parameters.ts";

/** The parts of a tool's input that come from a definition. */

/** A schema that stands alone, with those that it leads to. */
function standalone(schema: Schema, schemas: Schema): Schema {
  const { schemas: used } = reachable(schema, { schemas });
  const whole = JSON.stringify(used ? { ...schema, $defs: used } : schema);
  return JSON.parse(
    whole.replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/$defs/'),
  ) as Schema;
}

const anyData: Schema = {
  type: "object",
  additionalProperties: true,
  description: "Values under the keys of the fields, as read_definition tells them.",
};

const statuses = {
  create: ["submitted", "draft"],
  validate: ["submitted", "draft"],
  update: ["draft", "submitted", "closed"],
} as const;

/** The input of a tool that sends an item. A draft may lack what a submission may not. */
export function itemInput(
  act: keyof typeof statuses,
  kind: CollectionKind,
  parameters: Schema,
  own: Collection | undefined,
): Schema {
  const update = act === "update";
  const noun = nounOf(kind, own?.key);
  const changed: Use = kind === "form" ? "draft" : "change";
  const data = own ? ref("schemas", noun.one + dataNames[update ? changed : "create"]) : anyData;
  const status = { ...oneOfTexts(statuses[act]), ...(update ? {} : { default: "submitted" }) };
  const input = closed({ ...parameters, ...(kind === "form" ? { status } : {}), data }, [
    ...Object.keys(parameters).filter(isNeeded),
    ...(update && kind === "form" ? [] : ["data"]),
  ]);
  return standalone(input, own ? { ...itemSchemas(noun, own), ...sharedSchemas() } : {});
}

const isNeeded = (name: string) => ["app", "form", "id", "kind", "key"].includes(name);

/** The input of a tool that takes parameters alone. */
export function plainInput(parameters: Schema): Schema {
  return closed(parameters, Object.keys(parameters).filter(isNeeded));
}

const operand =
  "All of them hold. A value is as the field holds it; for in, not_in and has_… a list, for between both ends, for is_empty true or false; " +
  "for any and none a list of conditions that one row meets.";

const value: Schema = { type: ["string", "number", "boolean", "array"] };
const condition = (field: Schema, ops: readonly string[]) =>
  closed({ field, op: oneOfTexts(ops), value }, ["field", "op", "value"]);

/** The input of a search: flat, since models pay for each word of it. Groups are told, and judged by the search. */
export function searchInput(parameters: Schema, own: Collection | undefined): Schema {
  const fields = own ? [...searchFields(own).values()].filter((field) => field !== undefined) : [];
  const group = list({ type: "object" });
  const groups = {
    ...closed({ all: group, any: group, not: { type: "object" } }, []),
    description: "A group of conditions, in place of one.",
  };
  const kinds = Object.entries(Object.groupBy(fields, ({ kind }) => kind));
  const leaves = own
    ? kinds.map(([kind, some]) =>
        condition(
          oneOfTexts(some.map(({ name }) => name)),
          operators[kind as keyof typeof operators],
        ),
      )
    : [condition(text, [...new Set(Object.values(operators).flat())])];
  const names = fields.map(({ name }) => name);
  const keys = own?.definition.fields.fields.map(({ key }) => key);
  return closed(
    {
      ...parameters,
      conditions: {
        ...list({ anyOf: [...leaves, groups] }),
        maxItems: mostConditions,
        description: operand,
      },
      sort: {
        ...list(
          closed(
            { field: own ? oneOfTexts(names) : text, direction: oneOfTexts(["asc", "desc"]) },
            ["field"],
          ),
        ),
        maxItems: mostSorts,
      },
      fields: {
        ...list(keys && keys.length > 0 ? oneOfTexts(keys) : text),
        description: "The keys of the fields to show; all where it is left out.",
      },
      limit: schemaOfZod(pageLimit),
      ...parameterSchemas("cursor"),
    },
    Object.keys(parameters).filter(isNeeded),
  );
}
