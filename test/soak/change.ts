import { extraField, formulaOf, type Definition, type Field } from "./definition.ts";
import { formulas, rowFormulas } from "./formulas.ts";
import type { Random } from "./random.ts";

const mostExtras = 6;
const fixed = new Set(["ref"]);
const staying = new Set(["ref", "title", "code", "serial", "state"]);
const canBeUnique = new Set(["code", "serial", "mail"]);
const extraTypes = ["text", "number", "date", "datetime", "boolean", "select", "multi_select"];

let made = 0;

/** A random next definition: one change, or a few at once. */
export function changed(random: Random, definition: Definition): Definition {
  let next = definition;
  for (let left = random.chance(0.3) ? random.int(2, 3) : 1; left > 0; left -= 1) {
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
  return { ...next, retired: asTheyWere(definition, next.retired) };
}

/** What is left out of a document is retired as it stood in the one before. */
function asTheyWere(before: Definition, retired: readonly Field[]): Field[] {
  const known = new Map([...before.fields, ...before.retired].map((each) => [each.name, each.key]));
  return retired.flatMap((each) => {
    const key = known.get(each.name);
    return key === undefined ? [] : [{ ...each, key }];
  });
}

type Change = (random: Random, definition: Definition) => Definition | undefined;

const changes: Record<string, Change> = {
  add(random, definition) {
    const all = [...definition.fields, ...definition.retired];
    if (all.filter(({ name }) => name.startsWith("extra")).length >= mostExtras) return undefined;
    made += 1;
    const field = extraField(`extra${made}`, random.pick(extraTypes));
    return { ...definition, fields: [...definition.fields, field] };
  },
  retire(random, definition) {
    const field = random.pick(definition.fields);
    return staying.has(field.name) ? undefined : without(definition, field.name);
  },
  return(random, definition) {
    if (definition.retired.length === 0) return undefined;
    return withAgain(definition, random.pick(definition.retired).name);
  },
  rename(random, definition) {
    const field = random.pick(definition.fields);
    if (fixed.has(field.name)) return undefined;
    made += 1;
    return replaced(definition, { ...field, key: `${field.name}_${made}` });
  },
  formula(random, definition) {
    const calculated = definition.fields.filter(
      ({ type }) => type === "computed" || type === "line_items",
    );
    if (calculated.length === 0) return undefined;
    const field = random.pick(calculated);
    const rows = field.type === "line_items";
    const variants = rows ? rowFormulas : (formulas[field.name] ?? []);
    const formula = random.int(0, variants.length - 1);
    const live = new Set(definition.fields.map(({ name }) => name));
    if (!rows && !variants[formula]?.uses.every((name) => live.has(name))) return undefined;
    return replaced(definition, { ...field, formula });
  },
  searchable(random, definition) {
    const off = definition.fields.filter(({ searchable }) => !searchable);
    const field = random.pick(off.length > 3 ? off : definition.fields);
    if (fixed.has(field.name)) return undefined;
    return replaced(definition, { ...field, searchable: !field.searchable });
  },
  unique(random, definition) {
    const possible = definition.fields.filter(({ name }) => canBeUnique.has(name));
    if (possible.length === 0) return undefined;
    const field = random.pick(possible);
    return replaced(definition, { ...field, unique: !field.unique });
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

function replaced(definition: Definition, field: Field): Definition {
  const fields = definition.fields.map((each) => (each.name === field.name ? field : each));
  return { ...definition, fields };
}

/** Retires a field, with the formulas that use it. */
function without(definition: Definition, name: string): Definition {
  const users = definition.fields.filter(
    (each) => each.type === "computed" && formulaOf(each).uses.includes(name),
  );
  const next = users.reduce((rest, user) => without(rest, user.name), definition);
  const field = next.fields.find((each) => each.name === name);
  if (!field) return next;
  return {
    ...next,
    fields: next.fields.filter((each) => each !== field),
    retired: [...next.retired, field],
  };
}

/** Brings a field back, with those that its formula uses. */
function withAgain(definition: Definition, name: string): Definition {
  const field = definition.retired.find((each) => each.name === name);
  if (!field) return definition;
  const uses = field.type === "computed" ? formulaOf(field).uses : [];
  const next = uses.reduce((rest, used) => withAgain(rest, used), definition);
  return {
    ...next,
    fields: [...next.fields, field],
    retired: next.retired.filter((each) => each !== field),
  };
}
