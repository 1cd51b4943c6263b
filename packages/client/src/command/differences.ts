import { isDeepStrictEqual } from "node:util";
import { acceptanceOf, rulesOf, type Definition } from "./definition.ts";
import type { Field, SchemaDocument } from "./service.ts";

/** Lists the changes that a PUT of the definition would make, one line per change. */
export function differencesOf(before: SchemaDocument, after: Definition): string[] {
  const lines: string[] = [];
  // Top-level members that the file omits stay unchanged.
  for (const [name, value] of Object.entries(after)) {
    if (skippedMembers.has(name)) continue;
    const [oldValue, newValue] =
      name === "acceptance"
        ? [acceptanceOf(before["acceptance"] as object), acceptanceOf(value as object)]
        : [before[name], value];
    if (!isDeepStrictEqual(oldValue, newValue)) lines.push(changeLine(name, oldValue, newValue));
  }
  return [...lines, ...fieldLines(before.fields, after.fields, "")];
}

/** Members that only the service sets, and `fields`, which `fieldLines` compares. */
const skippedMembers = new Set([
  "key",
  "schema_version",
  "indexing",
  "pending",
  "consequences",
  "links",
  "fields",
]);

function fieldLines(
  oldFields: readonly Field[],
  newFields: readonly Field[],
  prefix: string,
): string[] {
  const continuedFields = findContinuedFields(oldFields, newFields);
  const lines: string[] = [];
  for (const newField of newFields) {
    const path = prefix + newField.key;
    const oldField = continuedFields.get(newField);
    if (!oldField) {
      lines.push(`+ ${path}: ${printed({ ...newField, key: undefined })}`);
      continue;
    }
    if (oldField.key !== newField.key)
      lines.push(`~ ${path}: renamed from ${prefix}${oldField.key}`);
    lines.push(...ruleLines(oldField, newField, path));
    lines.push(...fieldLines(oldField.fields ?? [], newField.fields ?? [], `${path}[].`));
  }
  const continuing = [...continuedFields.values()];
  for (const oldField of oldFields) {
    if (continuing.includes(oldField)) continue;
    lines.push(`- ${prefix}${oldField.key}: retired; its data stays stored but hidden`);
  }
  if (
    !isDeepStrictEqual(
      continuing,
      oldFields.filter((field) => continuing.includes(field)),
    )
  ) {
    lines.push(`~ ${prefix === "" ? "fields" : prefix.slice(0, -1)}: in another order`);
  }
  return lines;
}

/** Maps each new field to the old field that it continues. Like the service, it ignores renames already applied. */
function findContinuedFields(
  oldFields: readonly Field[],
  newFields: readonly Field[],
): Map<Field, Field> {
  const matches = new Map<Field, Field>();
  const matchedFields = new Set<Field>();
  const addMatch = (newField: Field, oldField: Field | undefined) => {
    if (!oldField || matchedFields.has(oldField)) return;
    matchedFields.add(oldField);
    matches.set(newField, oldField);
  };
  for (const newField of newFields) {
    const { key, renamed_from: from } = newField;
    if (from === undefined) continue;
    const renamedField = oldFields.find(
      (oldField) => oldField.key === key && previousKeys(oldField).includes(from),
    );
    addMatch(newField, renamedField ?? oldFields.find((oldField) => oldField.key === from));
  }
  for (const newField of newFields) {
    if (newField["renamed_from"] !== undefined) continue;
    addMatch(
      newField,
      oldFields.find((oldField) => oldField.key === newField.key && !matchedFields.has(oldField)),
    );
  }
  // Uses the order of the new fields, so that the caller can detect a different order.
  return new Map(
    newFields.flatMap((newField) => {
      const oldField = matches.get(newField);
      return oldField ? [[newField, oldField] as const] : [];
    }),
  );
}

function previousKeys(field: Field): unknown[] {
  const keys = field["previous_keys"];
  return Array.isArray(keys) ? keys : [];
}

function ruleLines(oldField: Field, newField: Field, path: string): string[] {
  const [oldRules, newRules] = [rulesOf(oldField), rulesOf(newField)];
  const names = new Set([...Object.keys(oldRules), ...Object.keys(newRules)]);
  return [...names]
    .filter((name) => !isDeepStrictEqual(oldRules[name], newRules[name]))
    .map((name) => changeLine(`${path}.${name}`, oldRules[name], newRules[name]));
}

const changeLine = (path: string, oldValue: unknown, newValue: unknown) =>
  `~ ${path}: ${printed(oldValue)} → ${printed(newValue)}`;

function printed(value: unknown): string {
  const text = value === undefined ? "none" : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
