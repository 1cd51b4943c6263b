import { defaultLimit, pageLimit } from "../../domain/page-limit";
import { mostConditions, mostSorts } from "../../domain/search/bounds";
import type { Schema } from "./field-schema";
import { object, ref } from "./responses";
import { schemaOfZod } from "./zod-schema";

export function searchSchema(): Schema {
  const sort = object(
    { field: { type: "string" }, direction: { type: "string", enum: ["asc", "desc"] } },
    ["field"],
  );
  return object(
    {
      conditions: { type: "array", maxItems: mostConditions, items: ref("schemas", "Condition") },
      sort: { type: "array", maxItems: mostSorts, items: sort },
      fields: { type: ["array", "null"], items: { type: "string" } },
      limit: { ...schemaOfZod(pageLimit), description: `Default: ${defaultLimit}.` },
      cursor: { type: ["string", "null"] },
    },
    [],
  );
}

export function conditionSchema(): Schema {
  const many = { type: "array", minItems: 1, items: ref("schemas", "Condition") };
  return {
    oneOf: [
      object({ field: { type: "string" }, op: { type: "string" }, value: {} }, [
        "field",
        "op",
        "value",
      ]),
      object({ all: many }, ["all"]),
      object({ any: many }, ["any"]),
      object({ not: ref("schemas", "Condition") }, ["not"]),
    ],
  };
}
