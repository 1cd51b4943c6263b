import { pageLimit } from "#domain/cursor.ts";
import { maxExpansions } from "#domain/search/expand.ts";
import { maxConditions, maxSortKeys } from "#domain/search/tree.ts";
import { storableText } from "./field-schemas.ts";
import { closedObject, enumSchema, ref, toJsonSchema, type Schema } from "./schema.ts";

/** The schemas of a search body and of its sort keys. */
export function searchBodySchemas(
  one: string,
  sortable: readonly string[] | undefined,
  shownFields: Schema,
  expandable: readonly string[] | "any",
): Schema {
  return {
    [`${one}SortKey`]: sortKeySchema(sortable),
    [`${one}Search`]: closedObject(
      {
        conditions: {
          type: ["array", "null"],
          items: ref("schemas", `${one}Condition`),
          maxItems: maxConditions,
        },
        sort: {
          type: ["array", "null"],
          items: ref("schemas", `${one}SortKey`),
          maxItems: maxSortKeys,
        },
        fields: {
          type: ["array", "null"],
          ...shownFields,
          description: "The fields to return in `data`. Returns all fields if null or omitted.",
        },
        ...expandSchema(expandable),
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

const sortKeySchema = (sortable: readonly string[] | undefined): Schema =>
  closedObject(
    {
      field: sortable ? enumSchema(sortable) : storableText,
      direction: {
        type: ["string", "null"],
        enum: ["asc", "desc", null],
        description: "Defaults to `asc`.",
      },
    },
    ["field"],
  );

/** A collection without references can expand nothing. */
function expandSchema(expandable: readonly string[] | "any"): Schema {
  if (expandable.length === 0) return {};
  return {
    expand: {
      type: ["array", "null"],
      items: expandable === "any" ? storableText : enumSchema(expandable),
      maxItems: maxExpansions,
      description: "The references whose records come in `included`.",
    },
  };
}
