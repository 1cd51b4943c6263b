import { extraField, formulaOf, type Definition, type Field } from "./definition.ts";
import { formulas, rowFormulas } from "./formulas.ts";
import type { Random } from "./random.ts";

const maxExtras = 6;
const unchangeable = new Set(["ref"]);
const unretirable = new Set(["ref", "title", "code", "serial", "state"]);
const canBeUnique = new Set(["code", "serial", "mail"]);
const extraTypes = ["text", "number", "date", "datetime", "boolean", "select", "multi_select"];

let createdCount = 0;

/** Returns a random next definition with one or a few changes. */
export function randomChange(random: Random, definition: Definition): Definition {
  let next = definition;
  for (let remaining = random.chance(0.3) ? random.int(2, 3) : 1; remaining > 0; remaining -= 1) {
    const kind = random.weighted({
      add: 2,
      retire: 3,
      return: 4,
      rename: 2,
      formula: 4,
      searchable: 5,
      unique: 3,
      order: 1,
    });
    next = changes[kind]?.(random, next) ?? next;
  }
  return { ...next, retired: withPreviousKeys(definition, next.retired) };
}

/** An omitted field is retired with its key from the previous definition. */
function withPreviousKeys(previous: Definition, retired: readonly Field[]): Field[] {
  const previousKeys = new Map(
    [...previous.fields, ...previous.retired].map((field) => [field.name, field.key]),
  );
  return retired.flatMap((field) => {
    const key = previousKeys.get(field.name);
    return key === undefined ? [] : [{ ...field, key }];
  });
}

type Change = (random: Random, definition: Definition) => Definition | undefined;

const changes: Record<string, Change> = {
  add(random, definition) {
    const allFields = [...definition.fields, ...definition.retired];
    if (allFields.filter(({ name }) => name.startsWith("extra")).length >= maxExtras)
      return undefined;
    createdCount += 1;
    const field = extraField(`extra${createdCount}`, random.pick(extraTypes));
    return { ...definition, fields: [...definition.fields, field] };
  },
  retire(random, definition) {
    const field = random.pick(definition.fields);
    return unretirable.has(field.name) ? undefined : retireField(definition, field.name);
  },
  return(random, definition) {
    if (definition.retired.length === 0) return undefined;
    return restoreField(definition, random.pick(definition.retired).name);
  },
  rename(random, definition) {
    const field = random.pick(definition.fields);
    if (unchangeable.has(field.name)) return undefined;
    createdCount += 1;
    return replaceField(definition, { ...field, key: `${field.name}_${createdCount}` });
  },
  formula(random, definition) {
    const computedFields = definition.fields.filter(
      ({ type }) => type === "computed" || type === "line_items",
    );
    if (computedFields.length === 0) return undefined;
    const field = random.pick(computedFields);
    const isLineItems = field.type === "line_items";
    const variants = isLineItems ? rowFormulas : (formulas[field.name] ?? []);
    const formula = random.int(0, variants.length - 1);
    const currentNames = new Set(definition.fields.map(({ name }) => name));
    if (!isLineItems && !variants[formula]?.uses.every((name) => currentNames.has(name)))
      return undefined;
    return replaceField(definition, { ...field, formula });
  },
  searchable(random, definition) {
    const unsearchable = definition.fields.filter(({ searchable }) => !searchable);
    const field = random.pick(unsearchable.length > 3 ? unsearchable : definition.fields);
    if (unchangeable.has(field.name)) return undefined;
    return replaceField(definition, { ...field, searchable: !field.searchable });
  },
  unique(random, definition) {
    const candidates = definition.fields.filter(({ name }) => canBeUnique.has(name));
    if (candidates.length === 0) return undefined;
    const field = random.pick(candidates);
    return replaceField(definition, { ...field, unique: !field.unique });
  },
  order(random, definition) {
    const fields = random.some(
      definition.fields,
      definition.fields.length,
      definition.fields.length,
    );
    return { ...definition, fields };
  },
};

function replaceField(definition: Definition, field: Field): Definition {
  const fields = definition.fields.map((other) => (other.name === field.name ? field : other));
  return { ...definition, fields };
}

/** Retires a field and the computed fields that use it. */
function retireField(definition: Definition, name: string): Definition {
  const users = definition.fields.filter(
    (other) => other.type === "computed" && formulaOf(other).uses.includes(name),
  );
  const next = users.reduce((current, user) => retireField(current, user.name), definition);
  const field = next.fields.find((other) => other.name === name);
  if (!field) return next;
  return {
    ...next,
    fields: next.fields.filter((other) => other !== field),
    retired: [...next.retired, field],
  };
}

/** Restores a retired field and the fields that its formula uses. */
function restoreField(definition: Definition, name: string): Definition {
  const field = definition.retired.find((other) => other.name === name);
  if (!field) return definition;
  const uses = field.type === "computed" ? formulaOf(field).uses : [];
  const next = uses.reduce((current, usedName) => restoreField(current, usedName), definition);
  return {
    ...next,
    fields: [...next.fields, field],
    retired: next.retired.filter((other) => other !== field),
  };
}
