import type { Field, SchemaDocument } from "./service.ts";

/** A definition as files contain it and PUT accepts it. */
export interface Definition {
  acceptance?: object;
  fields: Field[];
  [member: string]: unknown;
}

/** Returns the definition in a schema document, without the members that the service adds. */
export function definitionIn(document: SchemaDocument): Definition {
  const {
    key: _,
    schema_version: __,
    indexing: ___,
    pending: ____,
    links: _____,
    ...members
  } = document;
  const { accepting: ______, ...acceptance } = { ...(members["acceptance"] as object) } as {
    accepting?: boolean;
  };
  return {
    ...members,
    ...(members["acceptance"] ? { acceptance } : {}),
    fields: document.fields.map(withoutServiceMembers),
  };
}

function withoutServiceMembers(field: Field): Field {
  const { previous_keys: _, ...definition } = field;
  return {
    ...definition,
    ...(definition.fields && { fields: definition.fields.map(withoutServiceMembers) }),
  };
}

const defaultMaxLength: Record<string, number> = { text: 1000, multiline_text: 20_000 };
const isList = new Set(["multi_select", "line_items"]);

/** Returns all rules of a field, including the service's defaults. Columns are compared separately. */
export function rulesOf(field: Field): Record<string, unknown> {
  const { key, type, fields: _, previous_keys: __, renamed_from: ___, options, ...rules } = field;
  const isComputed = type === "computed";
  return {
    type,
    label: key,
    searchable: true,
    ...(!isComputed && { required: false }),
    ...(!isComputed && !isList.has(type) && { unique: false }),
    ...(defaultMaxLength[type] && { max_length: defaultMaxLength[type] }),
    ...(type === "line_items" && { max_rows: 500 }),
    ...rules,
    ...(Array.isArray(options) && {
      options: (options as { value: string }[]).map((option) => ({
        label: option.value,
        ...option,
      })),
    }),
  };
}

/** Returns all acceptance settings of a form, with defaults and with times in UTC, as the service returns them. */
export function acceptanceOf(acceptance: object): object {
  const { accepting: _, ...settings } = acceptance as Record<string, unknown>;
  const complete = {
    state: "open",
    opens_at: null,
    closes_at: null,
    max_submissions: null,
    ...settings,
  };
  return { ...complete, opens_at: inUtc(complete.opens_at), closes_at: inUtc(complete.closes_at) };
}

function inUtc(time: unknown): unknown {
  const milliseconds = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(milliseconds) ? time : new Date(milliseconds).toISOString();
}
