import { errorAt, formatChoices, truncate } from "#domain/problem/field-errors.ts";
import { toStoredText } from "#domain/text.ts";
import type { Path, SearchParseState } from "./operand.ts";
import type { FieldOptions, LeafCondition } from "./tree.ts";

/** Choices that an error lists in `allowed`. */
const maxListedOptions = 100;

/**
 * Checks that the operands are options of the field, current or former. Statuses never change, so an unknown one is an
 * error at once. Other fields can have had options that their definition no longer lists, so the index decides.
 */
export function checkOptions(
  state: SearchParseState,
  { field }: LeafCondition,
  operand: unknown,
  path: Path,
): void {
  const { options, source } = field;
  if (!options) return;
  const choices = options.current.map((option) => option.value);
  const operands: unknown[] = Array.isArray(operand) ? operand : [operand];
  for (const [index, entry] of operands.entries()) {
    const value = typeof entry === "string" ? toStoredText(entry) : undefined;
    if (value === undefined) continue;
    if (knownValues(options).has(value)) continue;
    const reason = `"${truncate(value)}" is not an option of "${field.name}". The options are ${formatChoices(choices)}.`;
    const entryPath = operands === operand ? [...path, index] : path;
    const error = errorAt(entryPath, "invalid_condition", reason, {
      allowed: choices.slice(0, maxListedOptions),
    });
    if (source.in === "system") state.errors.push(error);
    else state.unknownOptions.push({ field, value, error });
  }
}

const cachedValues = new WeakMap<FieldOptions, ReadonlySet<string>>();

/** All conditions of a search on one field share its set. */
function knownValues(options: FieldOptions): ReadonlySet<string> {
  const cached = cachedValues.get(options);
  if (cached) return cached;
  const values = new Set([...options.current.map(({ value }) => value), ...options.former]);
  cachedValues.set(options, values);
  return values;
}
