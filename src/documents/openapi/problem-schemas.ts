import { permissions } from "#domain/credential/permissions.ts";
import { fieldErrorCodes } from "#domain/problem/field-errors.ts";
import { apiCodes, problems, type ApiCode } from "#domain/problem/catalogue.ts";
import {
  closedObject,
  countSchema,
  listSchema,
  enumSchema,
  openObject,
  ref,
  stringSchema,
  typeName,
  uriSchema,
  type Schema,
  versionSchema,
  timestampSchema,
} from "./schema.ts";
import { fileSchemas } from "./file-schemas.ts";
import { calendarDaySchema, dateTimeInputSchema, recordReferenceSchema } from "./field-schemas.ts";

/** An extension member of a problem. Members that are always present have an example. */
type ProblemMember = [schema: Schema, example?: unknown];

const numberSchema: Schema = { type: "number" };
const optionalMember = (schema: Schema, description: string): ProblemMember => [
  { ...schema, description },
];
const exampleErrors = [
  {
    field: "lines[1].qty",
    pointer: "/data/lines/1/qty",
    code: "too_small",
    reason: "Must be at least 1.",
    minimum: 1,
  },
];

/** The extension members of each problem. */
const problemMembers: { [Code in ApiCode]?: Record<string, ProblemMember> } = {
  malformed_header: { header: [stringSchema, "If-Match"] },
  permission_required: { required_permission: [enumSchema(permissions), "records:read"] },
  submissions_closed: { reason: [enumSchema(["not_open_yet", "closed", "full"]), "full"] },
  duplicate: {
    field: [stringSchema, "email"],
    id: optionalMember(
      stringSchema,
      "The ID of the item with this value, for callers who can read it.",
    ),
  },
  schema_in_use: {
    field: [stringSchema, "email"],
    fields: optionalMember(listSchema(stringSchema), "All conflicting fields."),
    items: optionalMember(listSchema(stringSchema), "The IDs of conflicting items."),
  },
  indexing: {
    fields: [listSchema(stringSchema), ["email"]],
    done: [countSchema, 1200],
    total: [countSchema, 9900],
  },
  version_mismatch: { current_etag: [{ type: ["string", "null"] }, '"4"'] },
  too_large: { limit: [countSchema, 1_048_576] },
  range_not_satisfiable: { bytes: [countSchema, 48_211] },
  unsupported_media_type: {
    allowed: optionalMember(listSchema(stringSchema), "The accepted content types."),
    header: optionalMember(stringSchema, "The rejected header."),
  },
  invalid_input: {
    errors: [
      { ...listSchema(ref("schemas", "FieldError")), minItems: 1, maxItems: 100 },
      exampleErrors,
    ],
  },
};

/** Problems of a single operation that reject its whole batch. */
const operationCodes = apiCodes.filter((code) =>
  [404, 409, 412, 413].includes(problems[code].status),
);
const operationErrors = optionalMember(
  listSchema(ref("schemas", "FieldError")),
  "Only for batches: the errors of each operation.",
);

function extensionMembers(code: ApiCode): [string, ProblemMember][] {
  const members = Object.entries(problemMembers[code] ?? {});
  return operationCodes.includes(code) && code !== "indexing"
    ? [...members, ["errors", operationErrors]]
    : members;
}

export function problemName(code: ApiCode): string {
  return `${typeName(code)}Problem`;
}

/** Returns one schema of a problem document for each code (RFC 9457). */
function problemSchemas(): Schema {
  const schemas = apiCodes.map((code) => [problemName(code), problemSchema(code)] as const);
  return Object.fromEntries([...schemas, ["FieldError", fieldErrorSchema]]);
}

function problemSchema(code: ApiCode): Schema {
  const { status, meaning } = problems[code];
  const extensions = extensionMembers(code);
  const properties = {
    type: uriSchema,
    title: stringSchema,
    status: { type: "integer", format: "int32", const: status },
    code: { type: "string", const: code },
    detail: stringSchema,
    request_id: stringSchema,
    ...Object.fromEntries(extensions.map(([name, [schema]]) => [name, schema])),
  };
  const optionalNames = extensions
    .filter(([, [, example]]) => example === undefined)
    .map(([name]) => name);
  const required = Object.keys(properties).filter((name) => !optionalNames.includes(name));
  return { description: meaning, ...openObject(properties, required) };
}

/** An example of a problem document with this code. */
export function problemExample(code: ApiCode, origin: string): Schema {
  const { status, title, meaning } = problems[code];
  const extensions = extensionMembers(code).map(([name, [, example]]) => [name, example] as const);
  return {
    type: `${origin}/problems/${code}`,
    title,
    status,
    code,
    detail: meaning,
    request_id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    ...Object.fromEntries(extensions.filter(([, example]) => example !== undefined)),
  };
}

const errorDetails: Schema = {
  minimum: numberSchema,
  maximum: numberSchema,
  min_length: countSchema,
  max_length: countSchema,
  min_rows: countSchema,
  max_rows: countSchema,
  max_files: countSchema,
  max_bytes: countSchema,
  accept: listSchema(stringSchema),
  content_type: stringSchema,
  decimals: countSchema,
  pattern: stringSchema,
  options: listSchema(stringSchema),
  allowed: listSchema(stringSchema),
  expected: stringSchema,
  renamed_to: stringSchema,
  current_etag: { type: ["string", "null"] },
  id: stringSchema,
  fields: listSchema(stringSchema),
  items: listSchema(stringSchema),
  limit: countSchema,
  position: countSchema,
};

const fieldErrorSchema: Schema = {
  description:
    "Why a field, a parameter or a part of a definition is invalid, and what is allowed.",
  ...openObject(
    {
      field: stringSchema,
      pointer: {
        ...stringSchema,
        description:
          "The JSON Pointer into the body (RFC 6901). Absent for parameters and headers.",
      },
      code: enumSchema([...new Set<string>([...fieldErrorCodes, ...operationCodes])]),
      reason: stringSchema,
      ...errorDetails,
    },
    ["field", "code", "reason"],
  ),
};

/** The actor of a change. `GET /me` returns the actor of the credential. */
export const actorSchema: Schema = {
  type: "string",
  pattern: "^(credential:.+|member:.+|system)$",
  description: "`credential:ID`, `member:ID`, or `system` for recalculations.",
};

/** Returns the members of an item, with the members of its kind and the schema of its data. */
export const itemProperties = (kindMembers: Schema, data: Schema): Schema => ({
  id: stringSchema,
  ...kindMembers,
  version: versionSchema,
  etag: stringSchema,
  created_at: timestampSchema,
  created_by: actorSchema,
  updated_at: timestampSchema,
  updated_by: actorSchema,
  data,
});

/** The data of any collection. */
export const anyDataSchema: Schema = { type: "object", additionalProperties: true };

/** A record of any app in `included`. */
const includedRecordSchema: Schema = openObject(
  itemProperties({ app: stringSchema, receipt_number: stringSchema }, anyDataSchema),
);

/** A page of a list. `name` is the schema of its items. */
export function pageSchema(name: string, optionalMembers: Schema = {}): Schema {
  const members = { items: listSchema(ref("schemas", name)), links: ref("schemas", "PageLinks") };
  return openObject({ ...members, ...optionalMembers }, Object.keys(members));
}

/** The schemas that all documents share. */
export function sharedSchemas(): Schema {
  return {
    Warning: openObject({
      field: stringSchema,
      code: enumSchema(["computed_value_ignored", "formula_failed"]),
    }),
    PageLinks: openObject({ self: uriSchema, next: { ...uriSchema, type: ["string", "null"] } }),
    FeedLinks: openObject({ self: uriSchema, next: uriSchema }),
    CalendarDay: calendarDaySchema,
    DateTimeInput: dateTimeInputSchema,
    Increment: {
      ...closedObject({ $increment: { type: "number" } }, ["$increment"]),
      description:
        "Adds to the stored number. An empty field counts as 0. Also requires read permission.",
    },
    RecordReference: recordReferenceSchema,
    ...fileSchemas(),
    IncludedRecord: includedRecordSchema,
    ...problemSchemas(),
  };
}
