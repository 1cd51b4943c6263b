import { checkPatch } from "#domain/data/check.ts";
import type { CheckBudget } from "#domain/data/check-states.ts";
import { uniqueValue, type UniqueValue } from "#domain/data/index-entries.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { uniqueIdOf } from "#domain/definition/field.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import { isObject } from "#domain/json.ts";
import { errorAt, formatChoices } from "#domain/problem/field-errors.ts";
import { Problem, problem } from "#domain/problem/problem.ts";

type Upsert = Extract<BatchOperation, { op: "upsert" }>;

/** Returns the unique value by which an upsert finds its item. Throws 422 when it is missing or invalid. */
export type UpsertKeyReader = (operation: Upsert) => UniqueValue;

/** Creates the reader for the upserts of a batch. It checks each value once, and all values with one budget. */
export function createUpsertKeyReader(
  access: CollectionAccess,
  budget: CheckBudget,
): UpsertKeyReader {
  const keys = new Map<Upsert, UniqueValue | Problem>();
  return (operation) => {
    const key = keys.get(operation) ?? findUpsertKey(access, operation, budget);
    keys.set(operation, key);
    if (key instanceof Problem) throw key;
    return key;
  };
}

function findUpsertKey(access: CollectionAccess, operation: Upsert, budget: CheckBudget) {
  try {
    return parseUpsertKey(access, operation, budget);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function parseUpsertKey(
  access: CollectionAccess,
  { by: fieldKey, body }: Upsert,
  budget: CheckBudget,
): UniqueValue {
  const uniqueFields = access.fields.list.filter(({ field }) => uniqueIdOf(field) !== undefined);
  const uniqueField = uniqueFields.find(({ field }) => field.key === fieldKey);
  const uniqueId = uniqueField && uniqueIdOf(uniqueField.field);
  if (!uniqueField || uniqueId === undefined) {
    const allowed = uniqueFields.map(({ field }) => field.key);
    const reason =
      allowed.length > 0
        ? `Must be the key of a unique field: ${formatChoices(allowed)}.`
        : "No field is unique, so an upsert cannot find an item.";
    throw problem.invalidInput([errorAt(["by"], "not_an_option", reason, { allowed })]);
  }
  const { data, status } = isObject(body) ? body : {};
  if (status === "draft") {
    const reason =
      "An upsert cannot create drafts, because drafts have no unique values. Omit status.";
    throw problem.invalidInput([errorAt(["status"], "invalid_status", reason)]);
  }
  if (!isObject(data)) {
    const code = data === undefined ? "required" : "invalid_type";
    throw problem.invalidInput([errorAt(["data"], code, "Must be an object.")]);
  }
  // Validates this field alone, as a patch. The other fields are validated with the item.
  const patch = Object.hasOwn(data, fieldKey) ? { [fieldKey]: data[fieldKey] } : {};
  const checkResult = checkPatch(wholeCollection(access), {}, patch, true, budget);
  if (checkResult.errors.length > 0) throw problem.invalidInput(checkResult.errors);
  const { id: collectionId } = access.collection;
  const { id, type } = uniqueField.field;
  const [value] = uniqueValue(collectionId, { id, uniqueId, type }, checkResult.data);
  if (value) return value;
  const reason = "A value is required, because the upsert finds its item by it.";
  throw problem.invalidInput([errorAt(["data", fieldKey], "required", reason)]);
}
