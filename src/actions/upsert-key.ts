import { checkPatch } from "#domain/data/check.ts";
import { uniqueValue, type UniqueValue } from "#domain/data/index-entries.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { uniqueIdOf } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { errorAt, formatChoices } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";

/** Returns the unique value by which an upsert finds its item. Throws 422 when it is missing or invalid. */
export function parseUpsertKey(
  access: CollectionAccess,
  fieldKey: string,
  body: unknown,
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
  const checkResult = checkPatch(wholeCollection(access), {}, patch, true);
  if (checkResult.errors.length > 0) throw problem.invalidInput(checkResult.errors);
  const { id: collectionId } = access.collection;
  const { id, type } = uniqueField.field;
  const [value] = uniqueValue(collectionId, { id, uniqueId, type }, checkResult.data);
  if (value) return value;
  const reason = "A value is required, because the upsert finds its item by it.";
  throw problem.invalidInput([errorAt(["data", fieldKey], "required", reason)]);
}
