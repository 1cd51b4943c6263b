import type { Collection } from "#domain/definition/collection.ts";
import {
  maxSearchTextLength,
  maxConditions,
  maxOperandValues,
  type FieldKind,
  type Operator,
  type SearchField,
} from "#domain/search/tree.ts";
import { expansions } from "#domain/search/expand.ts";
import { operators, searchFields } from "#domain/search/fields.ts";
import { isSortable } from "#domain/search/sort.ts";
import { recordIdPattern } from "#domain/data/references.ts";
import { dateTimeInput, daySchema, storableText } from "./field-schemas.ts";
import { searchBodySchemas } from "./search-body-schemas.ts";
import {
  closedObject,
  keyName,
  listSchema,
  enumSchema,
  ref,
  typeName,
  type Schema,
} from "./schema.ts";

const actorOperand: Schema = {
  type: "string",
  pattern: "^(?:\\$me|system|(?:credential|member):[0-9A-Za-z_-]{1,64})$",
  description: "Who did it. `$me` is the caller.",
};
const numberSchema: Schema = { type: "number" };

/**
 * If a document has more fields with options, their conditions share schemas without options. Each field would add 750
 * bytes.
 */
const maxOptionFields = 200;

/** Whether the conditions of a document of these collections list the options of each field. */
export function listsOptions(collections: readonly Collection[]): boolean {
  const counts = collections.map((collection) => {
    const fields = [...searchFields(collection).values()].flatMap((field) => [
      field,
      ...(field?.rows?.values() ?? []),
    ]);
    return fields.filter((field) => field?.options).length;
  });
  return counts.reduce((sum, count) => sum + count, 0) <= maxOptionFields;
}

/**
 * Returns the schemas of a search in this collection: its fields, their operators, and the operands of each operator.
 */
export function searchSchemas(
  schemaName: string,
  collection: Collection,
  hasOptions: boolean,
): Schema {
  const fields = [...searchFields(collection).values()].filter((field) => field !== undefined);
  const keys = collection.definition.fields.fields.map((field) => field.key);
  const sortableFields = fields.filter(isSortable);
  const fieldsSchema = { items: keys.length > 0 ? enumSchema(keys) : storableText };
  return {
    ...conditionSchemas(schemaName, fields, hasOptions),
    ...searchBodySchemas(
      schemaName,
      sortableFields.map(({ name }) => name),
      fieldsSchema,
      [...expansions(collection).keys()],
    ),
  };
}

/** The schemas of a search in any collection. */
export function anySearchSchemas(): Schema {
  const allOperators = [...new Set(Object.values(operators).flat())];
  const value = {
    anyOf: [
      storableText,
      numberSchema,
      { type: "boolean" },
      listSchema({ anyOf: [storableText, numberSchema] }),
      conditionList("Condition"),
    ],
  };
  return {
    ...conditionUnion("", { FieldCondition: leafSchema(storableText, allOperators, value) }),
    ...searchBodySchemas("", undefined, { items: storableText }, "any"),
  };
}

/**
 * Returns the schemas of a condition on one of these fields, or of a group of conditions. A leaf is a condition on one
 * field.
 */
function conditionSchemas(
  schemaName: string,
  fields: readonly SearchField[],
  hasOptions: boolean,
): Schema {
  const byKind = Object.entries(Object.groupBy(fields, ({ kind }) => kind)) as [
    FieldKind,
    SearchField[],
  ][];
  const keySchemas: Schema = {};
  const leaves: Schema = {};
  const rowSchemas: Schema[] = [];
  for (const [kind, kindFields] of byKind) {
    if (hasOptions && (kind === "select" || kind === "multi_select")) {
      for (const field of kindFields) {
        const fieldSchemas = optionSchemas(schemaName, field);
        Object.assign(keySchemas, fieldSchemas.schemas);
        Object.assign(leaves, fieldSchemas.leaves);
      }
      continue;
    }
    const key = `${schemaName}${typeName(kind)}Key`;
    for (const [shape, ops] of Object.entries(operatorsByShape(kind))) {
      const value = operandSchema(scalarSchema(kind), shape as OperandShape);
      if (!value) continue;
      keySchemas[key] = enumSchema(kindFields.map(({ name }) => name));
      leaves[`${typeName(kind)}${shape}Condition`] = leafSchema(ref("schemas", key), ops, value);
    }
  }
  for (const { name, rows: columns } of fields) {
    if (!columns || columns.size === 0) continue;
    const row = `${schemaName}${keyName(name)}Row`;
    rowSchemas.push(conditionSchemas(row, [...columns.values()], hasOptions));
    leaves[`${keyName(name)}RowsCondition`] = leafSchema(
      enumSchema([name]),
      ["any", "none"],
      conditionList(`${row}Condition`),
    );
  }
  // The actors of an item are never empty.
  const clearableFields = fields.filter(({ kind }) => kind !== "actor");
  if (clearableFields.length > 0) {
    const searchableKey = `${schemaName}SearchableKey`;
    keySchemas[searchableKey] = enumSchema(clearableFields.map(({ name }) => name));
    leaves["EmptyCondition"] = leafSchema(ref("schemas", searchableKey), ["is_empty"], {
      type: "boolean",
    });
  }
  return Object.assign(keySchemas, conditionUnion(schemaName, leaves), ...rowSchemas) as Schema;
}

/** Returns the conditions on one field with options. Their operands are its current and former options. */
function optionSchemas(schemaName: string, { name, kind, source, options }: SearchField) {
  // A field can also have the key `status`, but no key produces the name `SystemStatus`.
  const fieldName = source.in === "system" ? "SystemStatus" : keyName(name);
  const schemas: Schema = {};
  let value = scalarSchema(kind);
  if (options?.isComplete) {
    // Requests already have a schema of the current options.
    const isShared = source.in !== "system" && options.former.length === 0;
    const optionsName = `${schemaName}${fieldName}${isShared ? "Option" : "SearchOption"}`;
    const values = [...options.current.map((option) => option.value), ...options.former];
    if (!isShared) schemas[optionsName] = enumSchema(values);
    value = ref("schemas", optionsName);
  }
  const leaves: Schema = {};
  for (const [shape, ops] of Object.entries(operatorsByShape(kind))) {
    const operand = operandSchema(value, shape as OperandShape);
    if (operand)
      leaves[`${fieldName}Option${shape}Condition`] = leafSchema(enumSchema([name]), ops, operand);
  }
  return { schemas, leaves };
}

function conditionUnion(schemaName: string, leaves: Schema): Schema {
  const condition = `${schemaName}Condition`;
  const leavesAndGroups: Schema = {
    ...leaves,
    ConditionAll: closedObject({ all: conditionList(condition) }, ["all"]),
    ConditionAny: closedObject({ any: conditionList(condition) }, ["any"]),
    ConditionNot: closedObject({ not: ref("schemas", condition) }, ["not"]),
  };
  const namedSchemas = Object.entries(leavesAndGroups).map(
    ([name, schema]) => [schemaName + name, schema] as const,
  );
  return {
    [condition]: { oneOf: namedSchemas.map(([name]) => ref("schemas", name)) },
    ...Object.fromEntries(namedSchemas),
  };
}

function leafSchema(field: Schema, ops: readonly Operator[], value: Schema): Schema {
  return closedObject({ field, op: enumSchema(ops), value }, ["field", "op", "value"]);
}

function conditionList(name: string): Schema {
  return { ...listSchema(ref("schemas", name)), minItems: 1, maxItems: maxConditions };
}

/** The operand of an operator: one value, a part of a text, several values, the ends of a range, or conditions. */
type OperandShape = "" | "Part" | "List" | "Range" | "Rows" | "Records" | "Empty";

function operatorsByShape(kind: FieldKind): { [S in OperandShape]?: Operator[] } {
  return Object.groupBy(operators[kind], operandShape);
}

function operandShape(op: Operator): OperandShape {
  switch (op) {
    case "eq":
    case "ne":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return "";
    case "contains":
    case "starts_with":
      return "Part";
    case "in":
    case "not_in":
    case "has_any":
    case "has_all":
    case "has_none":
      return "List";
    case "between":
      return "Range";
    case "any":
    case "none":
      return "Rows";
    case "matches":
      return "Records";
    case "is_empty":
      return "Empty";
  }
}

/** Returns undefined for operands that all fields share (`Empty`) and for operands that differ by field (`Rows`). */
function operandSchema(value: Schema, shape: OperandShape): Schema | undefined {
  switch (shape) {
    case "":
      return value;
    case "Part":
      return { ...storableText, minLength: 1, maxLength: maxSearchTextLength };
    case "List":
      return { ...listSchema(value), minItems: 1, maxItems: maxOperandValues };
    case "Range":
      return { ...listSchema(value), minItems: 2, maxItems: 2 };
    case "Records":
      return {
        ...listSchema({ type: "object", additionalProperties: true }),
        minItems: 1,
        maxItems: maxConditions,
        description: "Conditions on the record, as a search of its app takes them.",
      };
    case "Rows":
    case "Empty":
      return undefined;
  }
}

function scalarSchema(kind: FieldKind): Schema {
  switch (kind) {
    case "number":
    case "boolean":
      return { type: kind };
    case "date":
      return daySchema;
    case "datetime":
      return dateTimeInput;
    case "reference":
      return { type: "string", pattern: recordIdPattern };
    case "text":
    case "select":
    case "multi_select":
    case "line_items":
    case "files":
      return { ...storableText, minLength: 1 };
    case "actor":
      return { ...actorOperand };
  }
}
