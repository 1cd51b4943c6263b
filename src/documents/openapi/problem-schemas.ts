import { permissions } from "#domain/credential/permissions.ts";
import { fieldErrorCodes } from "#domain/problem/problem.ts";
import { apiCodes, problems, type ApiCode } from "#domain/problem/catalogue.ts";
import { count, list, oneOfTexts, open, ref, text, typeName, uri, type Schema } from "./schema.ts";
import { calendarDay } from "./field-schemas.ts";

/** A member that a problem has of its own: its schema, and an example where it is always there. */
type Member = [schema: Schema, example?: unknown];

const number: Schema = { type: "number" };
const optional = (schema: Schema, description: string): Member => [{ ...schema, description }];
const errors = [
  {
    field: "lines[1].qty",
    pointer: "/data/lines/1/qty",
    code: "too_small",
    reason: "Must be at least 1.",
    minimum: 1,
  },
];

/** The members of each problem besides those of all. */
const members: { [Code in ApiCode]?: Record<string, Member> } = {
  malformed_header: { header: [text, "If-Match"] },
  permission_required: { required_permission: [oneOfTexts(permissions), "records:read"] },
  submissions_closed: { reason: [oneOfTexts(["not_open_yet", "closed", "full"]), "full"] },
  duplicate: {
    field: [text, "email"],
    id: optional(text, "Of the item that has the value, to callers who may read it."),
  },
  schema_in_use: {
    field: [text, "email"],
    fields: optional(list(text), "All that stand against it."),
    items: optional(list(text), "Ids of items that stand against it."),
  },
  indexing: { fields: [list(text), ["email"]] },
  version_mismatch: { current_etag: [{ type: ["string", "null"] }, '"4"'] },
  too_large: { limit: [count, 1_048_576] },
  unsupported_media_type: {
    allowed: optional(list(text), "The types that this route reads."),
    header: optional(text, "The header that is not taken."),
  },
  invalid_input: {
    errors: [{ ...list(ref("schemas", "FieldError")), minItems: 1, maxItems: 100 }, errors],
  },
};

/** What can refuse one operation of a batch, and then the batch. */
const operationCodes = apiCodes.filter((code) =>
  [404, 409, 412, 413].includes(problems[code].status),
);
const ofOperations = optional(
  list(ref("schemas", "FieldError")),
  "Of batches: why each operation is refused.",
);

function membersOf(code: ApiCode): [string, Member][] {
  const own = Object.entries(members[code] ?? {});
  return operationCodes.includes(code) && code !== "indexing"
    ? [...own, ["errors", ofOperations]]
    : own;
}

export function problemName(code: ApiCode): string {
  return `${typeName(code)}Problem`;
}

/** The problem documents of these codes, each a schema of its own (RFC 9457). */
/** The problem documents, each code a schema of its own (RFC 9457). */
export function problemSchemas(): Schema {
  const named = apiCodes.map((code) => [problemName(code), problemSchema(code)] as const);
  return Object.fromEntries([...named, ["FieldError", fieldError]]);
}

function problemSchema(code: ApiCode): Schema {
  const { status, meaning } = problems[code];
  const own = membersOf(code);
  const properties = {
    type: uri,
    title: text,
    status: { type: "integer", format: "int32", const: status },
    code: { type: "string", const: code },
    detail: text,
    request_id: text,
    ...Object.fromEntries(own.map(([name, [schema]]) => [name, schema])),
  };
  const sometimes = own.filter(([, [, example]]) => example === undefined).map(([name]) => name);
  const required = Object.keys(properties).filter((name) => !sometimes.includes(name));
  return { description: meaning, ...open(properties, required) };
}

/** One such problem as it could be answered. */
export function problemExample(code: ApiCode, origin: string): Schema {
  const { status, title, meaning } = problems[code];
  const own = membersOf(code).map(([name, [, example]]) => [name, example] as const);
  return {
    type: `${origin}/problems/${code}`,
    title,
    status,
    code,
    detail: meaning,
    request_id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    ...Object.fromEntries(own.filter(([, example]) => example !== undefined)),
  };
}

const details: Schema = {
  minimum: number,
  maximum: number,
  min_length: count,
  max_length: count,
  min_rows: count,
  max_rows: count,
  decimals: count,
  pattern: text,
  options: list(text),
  allowed: list(text),
  expected: text,
  renamed_to: text,
  current_etag: { type: ["string", "null"] },
  id: text,
  fields: list(text),
  items: list(text),
  limit: count,
  position: count,
};

const fieldError: Schema = {
  description:
    "Why one field, parameter or part of a definition was refused. What is allowed stands beside the reason, for programs.",
  ...open(
    {
      field: text,
      pointer: {
        ...text,
        description: "Where in the body (RFC 6901); absent for parameters and headers.",
      },
      code: oneOfTexts([...new Set<string>([...fieldErrorCodes, ...operationCodes])]),
      reason: text,
      ...details,
    },
    ["field", "code", "reason"],
  ),
};

/** Who did something, as `GET /me` tells a credential of itself. */
export const actor: Schema = {
  type: "string",
  pattern: "^(credential:.+|member:.+|system)$",
  description: "`credential:ID`, `member:ID`, or `system` for a recalculation.",
};

/** A page of a list of what has this schema. */
export function pageSchema(name: string): Schema {
  return open({ items: list(ref("schemas", name)), links: ref("schemas", "PageLinks") });
}

/** What documents have, whatever they are about. */
export function sharedSchemas(): Schema {
  return {
    Warning: open({
      field: text,
      code: oneOfTexts(["computed_value_ignored", "formula_failed"]),
    }),
    PageLinks: open({ self: uri, next: { ...uri, type: ["string", "null"] } }),
    FeedLinks: open({ self: uri, next: uri }),
    CalendarDay: calendarDay,
    ...problemSchemas(),
  };
}
