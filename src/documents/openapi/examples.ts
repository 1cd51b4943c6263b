import type { Field } from "#domain/definition/field.ts";
import { findExampleText } from "#domain/pattern/parse.ts";
import { compilePattern, type MatchBudget } from "#domain/pattern/pattern.ts";
import { type Collection, defaultHistoryDays } from "#domain/definition/collection.ts";
import { checkNew } from "#domain/data/check.ts";
import { compileCollection } from "#domain/data/compile.ts";
import { presentData } from "#domain/data/values.ts";
import { computeData } from "#domain/formula/compute.ts";
import { formatReceiptNumber } from "#domain/item/item.ts";
import { formatTimestamp } from "#domain/time.ts";
import {
  toAbsoluteLinks,
  apiRoot,
  collectionLinks,
  collectionPaths,
  fillPath,
} from "#domain/api-paths.ts";
import { fieldDocument } from "#domain/definition/document.ts";
import { acceptanceDocument, retainDocument, viewsMember } from "#documents/definitions.ts";

const exampleId = "01KAHV3M4E7XQ2R5T8W9YZB6CD";
const exampleRecordId = `rec_${exampleId}`;
const exampleFileId = `fil_${exampleId}`;

/** Returns a value for each field that a create accepts, so that the example is a valid request. */
export function exampleData(
  fields: readonly Field[],
  budget: MatchBudget = { stepsLeft: maxPatternSteps },
): Record<string, unknown> {
  const inputFields = fields.filter((field) => field.type !== "computed");
  return Object.fromEntries(inputFields.map((field) => [field.key, exampleValue(field, budget)]));
}

/** The maximum number of steps to find example texts for all patterns of a definition in total. */
const maxPatternSteps = 400_000;

function exampleValue(field: Field, budget: MatchBudget): unknown {
  if (field.default !== undefined) return field.default;
  switch (field.type) {
    case "text":
    case "multiline_text":
      return field.pattern === undefined
        ? exampleText(field.label, field.min_length ?? 1, field.max_length)
        : findExampleText(
            compilePattern(field.pattern),
            field.min_length ?? 1,
            field.max_length,
            budget,
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
    case "reference":
      return exampleRecordId;
    case "line_items":
      // Repeats one row until the list has its minimum length.
      return Array<unknown>(Math.max(1, field.min_rows ?? 1)).fill(
        exampleData(field.fields, budget),
      );
    case "files":
      return [exampleFileId];
    case "computed":
      return null;
  }
}

function exampleText(label: string, minLength: number, maxLength: number): string {
  const characters = Array.from(label.normalize("NFC").padEnd(minLength, "x"));
  return characters.slice(0, maxLength).join("");
}

/** Prefers a whole number between the bounds, because it satisfies every limit on decimals. */
function exampleNumber(minimum = -Infinity, maximum = Infinity): number {
  if (minimum <= 1 && maximum >= 1) return 1;
  const wholeNumber = Number.isFinite(minimum) ? Math.ceil(minimum) : Math.floor(maximum);
  return wholeNumber >= minimum && wholeNumber <= maximum ? wholeNumber : minimum;
}

/** Valid request bodies and their responses. */
export interface Examples {
  create: object;
  change: object;
  search: object;
  aggregate: object;
  /** The response to `aggregate`. */
  aggregateResponse: object;
  definition: DefinitionExamples;
  /** Absent when the examples would make up most of the document. */
  responses?: {
    item: object;
    page: object;
    searchPage: object;
    validation: object;
    changes: object;
    batch: object;
  };
}

const exampleTime = Date.UTC(2026, 10, 21, 1, 23, 45, 678);
/** The maximum length of data in a response example. Larger data appears only in the request example. */
const maxExampleLength = 20_000;

export function buildExamples(collection: Collection, origin: string): Examples {
  const { kind, key } = collection;
  const data = exampleData(collection.definition.fields.fields);
  const status = kind === "form" ? { status: "submitted" } : {};
  const createdSince = { field: "$created_at", op: "gte", value: "2026-01-01T00:00:00Z" };
  const sort = [{ field: "$created_at", direction: "desc" }];
  const requests = {
    create: { ...status, data },
    change: { data },
    search: { conditions: [createdSince], sort, limit: 10 },
    aggregate: {
      conditions: [createdSince],
      group_by: [{ field: "$created_at", unit: "month", time_zone: "Asia/Tokyo" }],
      metrics: { items: { op: "count" }, creators: { op: "count_distinct", field: "$created_by" } },
    },
    aggregateResponse: {
      groups: [{ key: { $created_at: "2026-11" }, metrics: { items: 12, creators: 3 } }],
      truncated: false,
    },
    definition: definitionExamples(collection, origin),
  };
  if (JSON.stringify(data).length > maxExampleLength) return requests;
  const item = exampleItem(collection, data);
  const paths = collectionPaths(kind);
  const urlOf = (path: string) => origin + apiRoot + fillPath(path, { key });
  const examplePage = (path: string) => ({
    items: [item],
    links: { self: urlOf(path), next: null },
  });
  const validation = { valid: true, form: key, ...status, data: item.data };
  const responses = {
    item,
    page: examplePage(paths.items),
    searchPage: examplePage(paths.search),
    validation,
    batch: exampleBatch(item),
    changes: exampleChanges(item, collection, urlOf(paths.changes)),
  };
  return { ...requests, responses };
}

/** Returns the item that the example request creates, including computed fields. */
function exampleItem(collection: Collection, input: Record<string, unknown>) {
  const { kind, key, definition } = collection;
  const compiled = compileCollection(collection);
  const { data } = computeData(compiled, checkNew(compiled, input, false).data, exampleTime);
  const identity =
    kind === "app"
      ? {
          id: `rec_${exampleId}`,
          app: key,
          receipt_number: formatReceiptNumber(definition.receipt_prefix, 42),
        }
      : { id: `sub_${exampleId}`, form: key, status: "submitted" };
  const by = `credential:${exampleId}`;
  const times = {
    created_at: formatTimestamp(exampleTime),
    created_by: by,
    updated_at: formatTimestamp(exampleTime),
    updated_by: by,
  };
  return { ...identity, version: 1, etag: '"1"', ...times, data: presentData(compiled, data) };
}

function exampleBatch({ id, etag, ...members }: ReturnType<typeof exampleItem>): object {
  const receipt = "receipt_number" in members ? { receipt_number: members.receipt_number } : {};
  return { results: [{ op: "create", outcome: "created", id, ...receipt, etag }] };
}

/** The changes feed after the example request. */
function exampleChanges(
  item: ReturnType<typeof exampleItem>,
  { version }: Collection,
  url: string,
): object {
  const { id, etag, created_at: at, created_by: by, data } = item;
  const change = { version: item.version, etag, at, by, fields: Object.keys(data), item };
  const links = { self: url, next: `${url}?cursor=eyJ` };
  return { items: [{ id, type: "created", ...change }], schema_version: version, links };
}

type FieldDocument = Record<string, unknown>;

/** Removes a member from a field and from its columns. */
const without =
  (member: string) =>
  (field: FieldDocument): FieldDocument => {
    const { [member]: _, ...remaining } = field;
    const columns = remaining["fields"] as FieldDocument[] | undefined;
    return columns ? { ...remaining, fields: columns.map(without(member)) } : remaining;
  };

/** Linters treat an object with a type and a default as a schema, even in an example. */
const withoutDefault = without("default");
/** A request must not contain read-only members. */
const withoutPreviousKeys = without("previous_keys");

/** A definition in requests and responses, and the responses that link to it. */
interface DefinitionExamples {
  request: object;
  patch: object;
  response: object;
  summary: object;
  page: object;
  openApi: object;
}

function definitionExamples(collection: Collection, origin: string): DefinitionExamples {
  const { kind, key, version, definition } = collection;
  const { name, description, time_zone, receipt_prefix, acceptance, retain, fields } = definition;
  const links = toAbsoluteLinks(collectionLinks(kind, key), origin);
  const { accepting, ...acceptanceInput } = acceptanceDocument(acceptance, 0, exampleTime);
  const heading = { name, description, time_zone };
  const history_days = definition.history_days ?? defaultHistoryDays;
  const settings = { history_days, ...viewsMember(definition) };
  const fieldList = fields.fields.map(fieldDocument).map(withoutDefault);
  const body = { ...settings, fields: fieldList };
  const bodyInput = { ...settings, fields: fieldList.map(withoutPreviousKeys) };
  const getKindMembers = (acceptanceMembers: object) =>
    kind === "app"
      ? { receipt_prefix }
      : { acceptance: acceptanceMembers, retain: retainDocument(retain) };
  const summary = { key, ...heading, schema_version: version, links };
  const definitionInput = { ...heading, ...getKindMembers(acceptanceInput), ...bodyInput };
  const isLarge = JSON.stringify(body).length > maxExampleLength;
  return {
    request: definitionInput,
    patch: kind === "app" ? { name } : { acceptance: { state: acceptance.state } },
    response: isLarge
      ? { ...summary, fields: [] }
      : {
          key,
          ...heading,
          schema_version: version,
          ...getKindMembers({ ...acceptanceInput, accepting }),
          ...body,
          links,
        },
    summary,
    page: {
      items: [summary],
      links: { self: origin + apiRoot + collectionPaths(kind).list, next: null },
    },
    openApi: { openapi: "3.1.0", info: { title: name, version: String(version) }, paths: {} },
  };
}
