import { formulas, rowFormulas, type Formula, type Values } from "./formulas.ts";

/** Definitions as the model knows them. A field's `name` never changes; its `key` is what the service calls it now. */
export interface Field {
  name: string;
  key: string;
  type: string;
  searchable: boolean;
  unique: boolean;
  required: boolean;
  /** Which of its formulas a computed field has; for line items, that of their computed column. */
  formula: number;
  /** What else its document says. */
  rules: Record<string, unknown>;
}

export interface Definition {
  zone: string;
  fields: readonly Field[];
  retired: readonly Field[];
}

export const options = ["red", "green", "blue"];
const choices = options.map((value) => ({ value }));

function field(name: string, type: string, rest: Partial<Field> = {}): Field {
  const plain = { searchable: true, unique: false, required: false, formula: 0, rules: {} };
  return { name, key: name, type, ...plain, ...rest };
}

export function firstDefinition(zone: string): Definition {
  const two = { rules: { decimals: 2 } };
  return {
    zone,
    fields: [
      field("ref", "text", { required: true }),
      field("title", "text", { required: true }),
      field("code", "text", { unique: true }),
      field("serial", "number", { unique: true, rules: { integer: true } }),
      field("note", "multiline_text"),
      field("weight", "number", two),
      field("day", "date"),
      field("at", "datetime"),
      field("done", "boolean"),
      field("state", "select", { rules: { options: choices, default: "red" } }),
      field("tags", "multi_select", { rules: { options: choices } }),
      field("mail", "email"),
      field("lines", "line_items", { rules: { max_rows: 20 } }),
      ...Object.keys(formulas).map((name) => field(name, "computed")),
    ],
    retired: [],
  };
}

/** A field that was not there from the beginning. */
export function extraField(name: string, type: string): Field {
  const chosen = type === "select" || type === "multi_select";
  return field(name, type, chosen ? { rules: { options: choices } } : {});
}

export const rowTypes: Record<string, string> = {
  sku: "text",
  qty: "number",
  price: "number",
  marks: "multi_select",
  amount: "number",
};

export function formulaOf({ name, formula }: Field): Formula {
  const found = formulas[name]?.[formula];
  if (!found) throw new Error(`${name} has no formula ${formula}.`);
  return found;
}

/** The type of the values that a field has. */
export function valueType(of: Field): string {
  return of.type === "computed" ? formulaOf(of).result : of.type;
}

/** The document that a PUT sends; `before` is the definition that it changes. */
export function documentOf(definition: Definition, before?: Definition) {
  const keys = new Map(definition.fields.map(({ name, key }) => [name, key]));
  const keyOf = (name: string) => keys.get(name) ?? name;
  const known = before ? [...before.fields, ...before.retired] : [];
  const former = new Map(known.map(({ name, key }) => [name, key]));
  return {
    time_zone: definition.zone,
    fields: definition.fields.map((each) => {
      const { name, key, type, searchable, unique, required, rules } = each;
      const old = former.get(name);
      return {
        key,
        type,
        searchable,
        ...rules,
        ...(required ? { required } : {}),
        ...(unique ? { unique } : {}),
        ...(old !== undefined && old !== key ? { renamed_from: old } : {}),
        ...(type === "computed" ? computedRules(formulaOf(each), keyOf) : {}),
        ...(type === "line_items" ? { fields: columns(each.formula) } : {}),
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

/** A definition in a line, for people. */
export function summary({ fields, retired }: Definition): string {
  const said = ({ key, type, searchable, unique, formula }: Field) =>
    key +
    (type === "computed" || type === "line_items" ? `=${formula}` : "") +
    (unique ? "!" : "") +
    (searchable ? "" : "-");
  return `${fields.map(said).join(" ")} | retired: ${retired.map(said).join(" ")}`;
}

/** Whether items have to be recalculated: a computed field is new, is back, or has another formula. */
export function recalculates(before: Definition, after: Definition): boolean {
  const said = (definition: Definition) =>
    documentOf(definition).fields.flatMap((each) =>
      each.type === "computed" || each.type === "line_items" ? [JSON.stringify(each)] : [],
    );
  const had = new Set(said(before));
  return said(after).some((each) => !had.has(each));
}

/** Values with everything calculated anew that this definition calculates. Retired fields keep what they had. */
export function computed(definition: Definition, stored: Values): Values {
  const values = { ...stored };
  for (const each of definition.fields) {
    if (each.type === "line_items" && Array.isArray(values[each.name])) {
      values[each.name] = (values[each.name] as Values[]).map((row) => ({
        ...row,
        amount:
          rowFormulas[each.formula]?.value((name) => row[name] ?? null, definition.zone) ?? null,
      }));
    }
  }
  for (const calculated of Object.keys(formulas)) {
    const each = definition.fields.find(({ name }) => name === calculated);
    if (!each) continue;
    const value = formulaOf(each).value((name) => values[name] ?? null, definition.zone);
    if (value === null) delete values[each.name];
    else values[each.name] = value;
  }
  return values;
}
