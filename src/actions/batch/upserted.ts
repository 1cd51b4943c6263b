import { checkPatch } from "../../domain/data/check/check";
import type { Compiled } from "../../domain/data/compile";
import { uniqueValue, type UniqueValue } from "../../domain/data/unique-values";
import { uniqueIdOf } from "../../domain/definition/field";
import { isObject } from "../../domain/json";
import { errorAt, oneOf } from "../../domain/problem/field-errors";
import { problem } from "../../domain/problem/problem";

/** The unique value that an upsert finds its item by; throws what is wrong with it. */
export function upsertedBy(compiled: Compiled, by: string, body: unknown): UniqueValue {
  const unique = compiled.fields.list.filter(({ field }) => uniqueIdOf(field) !== undefined);
  const found = unique.find(({ field }) => field.key === by);
  const uniqueId = found && uniqueIdOf(found.field);
  if (!found || uniqueId === undefined) {
    const allowed = unique.map(({ field }) => field.key);
    const reason =
      allowed.length > 0
        ? `Must be the key of a unique field: ${oneOf(allowed)}.`
        : "There is no unique field to find an item by.";
    throw problem.invalidInput([errorAt(["by"], "not_an_option", reason, { allowed })]);
  }
  const { data, status } = isObject(body) ? body : {};
  if (status === "draft") {
    const reason = "Drafts hold no unique values, so none could be found again: leave it out.";
    throw problem.invalidInput([errorAt(["status"], "invalid_status", reason)]);
  }
  if (!isObject(data)) {
    const code = data === undefined ? "required" : "invalid_type";
    throw problem.invalidInput([errorAt(["data"], code, "Must be of type object.")]);
  }
  // Judged as a change of this field alone; the rest is judged with the item.
  const sent = Object.hasOwn(data, by) ? { [by]: data[by] } : {};
  const checked = checkPatch(compiled, {}, sent, true);
  if (checked.errors.length > 0) throw problem.invalidInput(checked.errors);
  const { id: collectionId } = compiled.collection;
  const { id, type } = found.field;
  const [value] = uniqueValue(collectionId, { id, uniqueId, type }, checked.data);
  if (value) return value;
  const reason = "An upsert finds its item by this value: it may not be empty.";
  throw problem.invalidInput([errorAt(["data", by], "required", reason)]);
}
