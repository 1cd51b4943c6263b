import type { Field } from "#domain/definition/field.ts";
import { examplePattern } from "#domain/pattern/parse.ts";
import { compilePattern, type MatchBudget } from "#domain/pattern/pattern.ts";
import { type Collection, defaultHistoryDays } from "#domain/definition/collection.ts";
import { checkNew } from "#domain/data/check.ts";
import { compile } from "#domain/data/compile.ts";
import { showData } from "#domain/data/values.ts";
import { computeData } from "#domain/formula/compute.ts";
import { receiptNumber } from "#domain/item/item.ts";
import { stamp } from "#domain/time.ts";
import type { Noun } from "./names.ts";
import { fieldDocument } from "#domain/definition/document.ts";
import { acceptanceDocument } from "#documents/definitions.ts";

/** A value for each field that a create takes, so that the example can be sent as it is. */
export function exampleData(
  fields: readonly Field[],
  looks: MatchBudget = { steps: mostLooks },
): Record<string, unknown> {
  const sent = fields.filter((field) => field.type !== "computed");
  return Object.fromEntries(sent.map((field) => [field.key, exampleOf(field, looks)]));
}

/** What finding texts for all patterns of a definition may take together. */
const mostLooks = 400_000;

function exampleOf(field: Field, looks: MatchBudget): unknown {
  if (field.default !== undefined) return field.default;
  switch (field.type) {
    case "text":
    case "multiline_text":
      return field.pattern === undefined
        ? exampleText(field.label, field.min_length ?? 1, field.max_length)
        : examplePattern(
            compilePattern(field.pattern),
            field.min_length ?? 1,
            field.max_length,
            looks,
          );
    case "number":
      return exampleNumber(field.minimum, field.maximum);
    case "boolean":
      return true;
    case "date":
      return "2026-11-21";
    case "datetime":
      return "2026-11-21T09:30:00Z";
    case "email":
      return "yamada@example.com";
    case "url":
      return "https://example.com/";
    case "phone":
      return "+81 3-1234-5678";
    case "select":
      return field.options[0]?.value;
    case "multi_select":
      return field.options.slice(0, 1).map((option) => option.value);
    case "line_items":
      // One row, as often as it is needed.
      return Array<unknown>(Math.max(1, field.min_rows ?? 1)).fill(
        exampleData(field.fields, looks),
      );
    case "computed":
      return null;
  }
}

function exampleText(label: string, least: number, most: number): string {
  const characters = Array.from(label.normalize("NFC").padEnd(least, "x"));
  return characters.slice(0, most).join("");
}

/** A whole number where there is one between the bounds: it has no decimals to be too many. */
function exampleNumber(minimum = -Infinity, maximum = Infinity): number {
  if (minimum <= 1 && maximum >= 1) return 1;
  const whole = Number.isFinite(minimum) ? Math.ceil(minimum) : Math.floor(maximum);
  return whole >= minimum && whole <= maximum ? whole : minimum;
}

/** Bodies that can be sent as they are, and what is answered to them. */
export interface Examples {
  create: object;
  change: object;
  search: object;
  /** Absent where they would make most of the document. */
  answers?: {
    item: object;
    listed: object;
    found: object;
    checked: object;
    changes: object;
    batch: object;
  };
}

export const moment = Date.UTC(2026, 10, 21, 1, 23, 45, 678);
const ulid = "01KAHV3M4E7XQ2R5T8W9YZB6CD";
/** What is larger is told once, in the request. */
export const mostShown = 20_000;

export function examplesOf(collection: Collection, { kind, list }: Noun, origin: string): Examples {
  const data = exampleData(collection.definition.fields.fields);
  const status = kind === "form" ? { status: "submitted" } : {};
  const since = { field: "$created_at", op: "gte", value: "2026-01-01T00:00:00Z" };
  const sort = [{ field: "$created_at", direction: "desc" }];
  const sent = {
    create: { ...status, data },
    change: { data },
    search: { conditions: [since], sort, limit: 10 },
  };
  if (JSON.stringify(data).length > mostShown) return sent;
  const item = exampleItem(collection, data);
  const page = (path: string) => ({
    items: [item],
    links: { self: `${origin}/api/v1${path}`, next: null },
  });
  const checked = { valid: true, form: collection.key, ...status, data: item.data };
  const answers = {
    item,
    listed: page(list),
    found: page(`${list}/search`),
    checked,
    batch: exampleBatch(item),
    changes: exampleChanges(
      item,
      collection,
      `${origin}/api/v1/${kind}s/${collection.key}/changes`,
    ),
  };
  return { ...sent, answers };
}

/** The item that the example makes, computed fields included. */
function exampleItem(collection: Collection, sent: Record<string, unknown>) {
  const { kind, key, definition } = collection;
  const compiled = compile(collection);
  const { data } = computeData(compiled, checkNew(compiled, sent, false).data, moment);
  const own =
    kind === "app"
      ? {
          id: `rec_${ulid}`,
          app: key,
          receipt_number: receiptNumber(definition.receipt_prefix, 42),
        }
      : { id: `sub_${ulid}`, form: key, status: "submitted" };
  const by = `credential:${ulid}`;
  const times = {
    created_at: stamp(moment),
    created_by: by,
    updated_at: stamp(moment),
    updated_by: by,
  };
  return { ...own, version: 1, etag: '"1"', ...times, data: showData(compiled, data) };
}

function exampleBatch({ id, etag, ...rest }: ReturnType<typeof exampleItem>): object {
  const receipt = "receipt_number" in rest ? { receipt_number: rest.receipt_number } : {};
  return { results: [{ op: "create", outcome: "created", id, ...receipt, etag }] };
}

/** The feed after the example was created. */
function exampleChanges(
  item: ReturnType<typeof exampleItem>,
  { version }: Collection,
  address: string,
): object {
  const { id, etag, created_at: at, created_by: by, data } = item;
  const own = { version: item.version, etag, at, by, fields: Object.keys(data), item };
  const links = { self: address, next: `${address}?cursor=eyJ` };
  return { items: [{ id, type: "created", ...own }], schema_version: version, links };
}

/** A definition as it can be sent, and as it and what leads to it are shown. */
export interface DefinitionExamples {
  sent: object;
  shown: object;
  summary: object;
  page: object;
  document: object;
}

export function definitionExamples(collection: Collection, origin: string): DefinitionExamples {
  const { kind, key, version, definition } = collection;
  const { name, description, time_zone, receipt_prefix, acceptance, history_days, fields } =
    definition;
  const base = `${origin}/api/v1/${kind}s`;
  const items = kind === "app" ? "records" : "submissions";
  const links = {
    self: `${base}/${key}/schema`,
    openapi: `${base}/${key}/openapi.json`,
    [items]: `${base}/${key}/${items}`,
    search: `${base}/${key}/${items}/search`,
  };
  const { accepting, ...open } = acceptanceDocument(acceptance, 0, moment);
  const about = { name, description, time_zone };
  const days = { history_days: history_days ?? defaultHistoryDays };
  const rest = { ...days, fields: fields.fields.map(fieldDocument) };
  const own = (shown: object) => (kind === "app" ? { receipt_prefix } : { acceptance: shown });
  const summary = { key, ...about, schema_version: version, links };
  const sent = { ...about, ...own(open), ...rest };
  const large = JSON.stringify(rest).length > mostShown;
  return {
    sent,
    shown: large
      ? { ...summary, fields: [] }
      : { key, ...about, schema_version: version, ...own({ ...open, accepting }), ...rest, links },
    summary,
    page: { items: [summary], links: { self: base, next: null } },
    document: { openapi: "3.1.0", info: { title: name, version: String(version) }, paths: {} },
  };
}
