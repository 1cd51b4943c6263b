import type { PendingRules } from "../../domain/definition/pending";
import { problem, type Problem } from "../../domain/problem/problem";

/** What stored data stands against, as the 409 that tells it. */

export function typeInUse({ emptied }: Pick<PendingRules, "emptied">): Problem {
  const fields = emptied.map((field) => field.key);
  const named = fields.map((field) => `"${field}"`).join(", ");
  const detail = `The type of ${named} cannot change while items have values there.`;
  return problem.schemaInUse(detail, { field: fields[0], fields });
}

/** The items are named and not the value: changing a definition does not imply reading data. */
export function sharedBy(field: string, items: readonly string[]): Problem {
  const detail = `"${field}" cannot become unique: ${items.join(" and ")} have the same value.`;
  return problem.schemaInUse(detail, { field, items });
}
