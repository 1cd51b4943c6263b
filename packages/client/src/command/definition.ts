import type { Field, SchemaDocument } from "./service.ts";

/** A definition as a file keeps it: what PUT takes. */
export interface Definition {
  acceptance?: object;
  fields: Field[];
  [member: string]: unknown;
}

/** A definition without what is the service's own. */
export function definitionIn(document: SchemaDocument): Definition {
  const {
    key: _,
    schema_version: __,
    indexing: ___,
    pending: ____,
    links: _____,
    ...rest
  } = document;
  const { accepting: ______, ...acceptance } = { ...(rest["acceptance"] as object) } as {
    accepting?: boolean;
  };
  return {
    ...rest,
    ...(rest["acceptance"] ? { acceptance } : {}),
    fields: document.fields.map(ownField),
  };
}

function ownField(field: Field): Field {
  const { previous_keys: _, ...own } = field;
  return { ...own, ...(own.fields && { fields: own.fields.map(ownField) }) };
}

const longest: Record<string, number> = { text: 1000, multiline_text: 20_000 };
const isList = new Set(["multi_select", "line_items"]);

/** All rules of a field, those included that the service gives it where the file says nothing. Columns stand apart. */
export function rulesOf(field: Field): Record<string, unknown> {
  const { key, type, fields: _, previous_keys: __, renamed_from: ___, options, ...said } = field;
  const isComputed = type === "computed";
  return {
    type,
    label: key,
    searchable: true,
    ...(!isComputed && { required: false }),
    ...(!isComputed && !isList.has(type) && { unique: false }),
    ...(longest[type] && { max_length: longest[type] }),
    ...(type === "line_items" && { max_rows: 500 }),
    ...said,
    ...(Array.isArray(options) && {
      options: (options as { value: string }[]).map((each) => ({ label: each.value, ...each })),
    }),
  };
}

/** Settings of a form's acceptance, whole and with times in UTC, as the service tells them. */
export function acceptanceOf(said: object): object {
  const { accepting: _, ...rest } = said as Record<string, unknown>;
  const whole = { state: "open", opens_at: null, closes_at: null, max_submissions: null, ...rest };
  return { ...whole, opens_at: inUtc(whole.opens_at), closes_at: inUtc(whole.closes_at) };
}

function inUtc(time: unknown): unknown {
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? time : new Date(at).toISOString();
}
