import { checkPatch } from "#domain/data/check.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { itemBudget } from "#domain/formula/compute.ts";
import { uniqueValue } from "#domain/data/index-entries.ts";
import { uniqueIdOf } from "#domain/definition/field.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import { isObject } from "#domain/json.ts";
import { Problem } from "#domain/problem/problem.ts";
import { itemTargets, lookupFields } from "./csv.ts";

/**
 * Finds rows with a unique value or an ID that an earlier row of the file has. The result depends only on the file, so
 * a check and each step of the write reject the same rows.
 */
export function findDuplicateRows(
  compiled: CompiledCollection,
  rows: readonly { line: number; operation: BatchOperation }[],
): Map<number, Problem> {
  const firstLines = new Map<string, number>();
  const problems = new Map<number, Problem>();
  const valuesOf = createValueReader(compiled);
  for (const { line, operation } of rows) {
    for (const [key, value] of valuesOf(operation)) {
      const name = JSON.stringify([key, value]);
      const firstLine = firstLines.get(name);
      if (firstLine === undefined) firstLines.set(name, line);
      else problems.set(line, duplicateInFile(key, firstLine));
    }
  }
  return problems;
}

const duplicateInFile = (field: string, line: number) =>
  new Problem("duplicate", `Line ${line} of this file has the same value.`, { field, line });

/** Returns the ID that the row names. The ID of a new item depends on its line. */
function idsOf(operation: BatchOperation): string[] {
  if (operation.op === "update") return [operation.id];
  return operation.op === "create" && operation.unless ? [operation.unless] : [];
}

type KeyValue = [key: string, value: unknown];

/** Reads the unique values of an operation. Ignores invalid values, because the row reports its own error. */
function createValueReader(
  compiled: CompiledCollection,
): (operation: BatchOperation) => KeyValue[] {
  const { collection } = compiled;
  const fields = lookupFields(collection).map((field) => ({
    ...field,
    uniqueId: uniqueIdOf(field) ?? 0,
  }));
  const budget = itemBudget();
  return (operation) => {
    const ids = idsOf(operation).map((id): KeyValue => [itemTargets.id, id]);
    const body = "body" in operation && isObject(operation.body) ? operation.body : {};
    const { data } = body;
    if (body["status"] === "draft" || !isObject(data)) return ids;
    const values = fields.flatMap((field): KeyValue[] => {
      const value = data[field.key] ?? null;
      if (value === null) return [];
      const { data: checked, errors } = checkPatch(
        compiled,
        {},
        { [field.key]: value },
        true,
        budget,
      );
      if (errors.length > 0) return [];
      return uniqueValue(collection.id, field, checked).map(([, unique]) => [field.key, unique]);
    });
    return [...ids, ...values];
  };
}
