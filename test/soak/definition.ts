import { formulas, rowFormulas, type Formula, type Values } from "./formulas.ts";

/** A field in the model. Its `name` never changes, and its `key` is its current key in the service. */
export interface Field {
  name: string;
  key: string;
  type: string;
  searchable: boolean;
  unique: boolean;
  required: boolean;
  /** The index of a computed field's formula. For line items, of the formula of their computed column. */
  formula: number;
  /** The other rules in the field's document. */
  rules: Record<string, unknown>;
}

export interface Definition {
  zone: string;
  fields: readonly Field[];
  retired: readonly Field[];
}

export const options = ["red", "green", "blue"];
const choices = options.map((value) => ({ value }));

function buildField(name: string, type: string, settings: Partial<Field> = {}): Field {
  const defaults = { searchable: true, unique: false, required: false, formula: 0, rules: {} };
  return { name, key: name, type, ...defaults, ...settings };
}

export function firstDefinition(zone: string): Definition {
  const twoDecimals = { rules: { decimals: 2 } };
  return {
    zone,
    fields: [
      buildField("ref", "text", { required: true }),
      buildField("title", "text", { required: true }),
      buildField("code", "text", { unique: true }),
      buildField("serial", "number", { unique: true, rules: { integer: true } }),
      buildField("note", "multiline_text"),
      buildField("weight", "number", twoDecimals),
      buildField("day", "date"),
      buildField("at", "datetime"),
      buildField("done", "boolean"),
      buildField("state", "select", { rules: { options: choices, default: "red" } }),
      buildField("tags", "multi_select", { rules: { options: choices } }),
      buildField("mail", "email"),
      buildField("lines", "line_items", { rules: { max_rows: 20 } }),
      ...Object.keys(formulas).map((name) => buildField(name, "computed")),
    ],
    retired: [],
  };
}

/** Builds a field that the first definition lacks. */
export function extraField(name: string, type: string): Field {
  const hasOptions = type === "select" || type === "multi_select";
  return buildField(name, type, hasOptions ? { rules: { options: choices } } : {});
}

export const rowTypes: Record<string, string> = {
  sku: "text",
  qty: "number",
  price: "number",
  marks: "multi_select",
  amount: "number",
};

export function formulaOf({ name, formula }: Field): Formula {
  const variant = formulas[name]?.[formula];
  if (!variant) throw new Error(`${name} has no formula ${formula}.`);
  return variant;
}

/** The type of a field's values. */
export function valueType(field: Field): string {
  return field.type === "computed" ? formulaOf(field).result : field.type;
}

/** Builds the document of a PUT. `previous` is the definition that it changes. */
export function documentOf(definition: Definition, previous?: Definition) {
  const keys = new Map(definition.fields.map(({ name, key }) => [name, key]));
  const keyOf = (name: string) => keys.get(name) ?? name;
  const previousFields = previous ? [...previous.fields, ...previous.retired] : [];
  const previousKeys = new Map(previousFields.map(({ name, key }) => [name, key]));
  return {
    time_zone: definition.zone,
    fields: definition.fields.map((field) => {
      const { name, key, type, searchable, unique, required, rules } = field;
      const previousKey = previousKeys.get(name);
      return {
        key,
        type,
        searchable,
        ...rules,
        ...(required ? { required } : {}),
        ...(unique ? { unique } : {}),
        ...(previousKey !== undefined && previousKey !== key ? { renamed_from: previousKey } : {}),
        ...(type === "computed" ? computedRules(formulaOf(field), keyOf) : {}),
        ...(type === "line_items" ? { fields: columns(field.formula) } : {}),
      };
    }),
  };
}

function computedRules(formula: Formula, keyOf: (name: string) => string) {
  const { result, decimals } = formula;
  return { formula: formula.text(keyOf), result, ...(decimals === undefined ? {} : { decimals }) };
}

function columns(formula: number): object[] {
  const amount = rowFormulas[formula];
  if (!amount) throw new Error(`There is no formula ${formula} of rows.`);
  return [
    { key: "sku", type: "text" },
    { key: "qty", type: "number", integer: true },
    { key: "price", type: "number", decimals: 2 },
    { key: "marks", type: "multi_select", options: choices },
    { key: "amount", type: "computed", ...computedRules(amount, (name) => name) },
  ];
}

/** Summarizes a definition in one line. */
export function summary({ fields, retired }: Definition): string {
  const summarize = ({ key, type, searchable, unique, formula }: Field) =>
    key +
    (type === "computed" || type === "line_items" ? `=${formula}` : "") +
    (unique ? "!" : "") +
    (searchable ? "" : "-");
  return `${fields.map(summarize).join(" ")} | retired: ${retired.map(summarize).join(" ")}`;
}

/** Whether items need a recalculation, because a computed field is new, restored or has another formula. */
export function recalculates(previous: Definition, next: Definition): boolean {
  const formulasOf = (definition: Definition) =>
    documentOf(definition).fields.flatMap((field) =>
      field.type === "computed" || field.type === "line_items" ? [JSON.stringify(field)] : [],
    );
  const formulasBefore = new Set(formulasOf(previous));
  return formulasOf(next).some((formula) => !formulasBefore.has(formula));
}

/** Recalculates all computed fields of the definition. Retired fields keep their values. */
export function withComputed(definition: Definition, stored: Values): Values {
  const values = { ...stored };
  for (const field of definition.fields) {
    if (field.type === "line_items" && Array.isArray(values[field.name])) {
      values[field.name] = (values[field.name] as Values[]).map((row) => ({
        ...row,
        amount:
          rowFormulas[field.formula]?.value((name) => row[name] ?? null, definition.zone) ?? null,
      }));
    }
  }
  for (const computedName of Object.keys(formulas)) {
    const field = definition.fields.find(({ name }) => name === computedName);
    if (!field) continue;
    const value = formulaOf(field).value((name) => values[name] ?? null, definition.zone);
    if (value === null) delete values[field.name];
    else values[field.name] = value;
  }
  return values;
}
