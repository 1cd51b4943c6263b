import { pageLimit } from "#domain/cursor.ts";
import { maxExpansions } from "#domain/search/expand.ts";
import { maxConditions, maxSortKeys } from "#domain/search/tree.ts";
import { storableText } from "./field-schemas.ts";
import { closedObject, enumSchema, ref, toJsonSchema, type Schema } from "./schema.ts";

/** The schemas of a search body and of its sort keys. Without `sortableNames`, every field name is allowed. */
export function searchBodySchemas(
  schemaName: string,
  sortableNames: readonly string[] | undefined,
  fieldsSchema: Schema,
  expandableNames: readonly string[] | "any",
): Schema {
  return {
    [`${schemaName}SortKey`]: sortKeySchema(sortableNames),
    [`${schemaName}Search`]: closedObject(
      {
        conditions: {
          type: ["array", "null"],
          items: ref("schemas", `${schemaName}Condition`),
          maxItems: maxConditions,
        },
        sort: {
          type: ["array", "null"],
          items: ref("schemas", `${schemaName}SortKey`),
          maxItems: maxSortKeys,
        },
        fields: {
          type: ["array", "null"],
          ...fieldsSchema,
          description: "The fields to return in `data`. Returns all fields if null or omitted.",
        },
        ...expandSchema(expandableNames),
        limit: { ...toJsonSchema(pageLimit()), type: ["integer", "null"] },
        cursor: {
          type: ["string", "null"],
          minLength: 1,
          description: "The cursor from `links.next`. Send it here or in the query.",
        },
      },
      [],
    ),
  };
}

const sortKeySchema = (sortableNames: readonly string[] | undefined): Schema =>
  closedObject(
    {
      field: sortableNames ? enumSchema(sortableNames) : storableText,
      direction: {
        type: ["string", "null"],
        enum: ["asc", "desc", null],
        description: "Defaults to `asc`.",
      },
    },
    ["field"],
  );

/** Returns the schema of `expand`. A collection without references has nothing to expand. */
function expandSchema(expandableNames: readonly string[] | "any"): Schema {
  if (expandableNames.length === 0) return {};
  return {
    expand: {
      type: ["array", "null"],
      items: expandableNames === "any" ? storableText : enumSchema(expandableNames),
      maxItems: maxExpansions,
      description: "The references whose records come in `included`.",
    },
  };
}
