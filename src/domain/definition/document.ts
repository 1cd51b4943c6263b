import * as z from "zod/mini";
import { InexactNumber } from "#domain/json.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { invalid, fieldListErrors, type Field } from "./field.ts";
import { hasNoControls, isStorable, storable } from "#domain/text.ts";
import { instant, isTimeZone } from "#domain/time.ts";
import { zodErrors } from "#domain/problem/field-errors.ts";
import { fewestHistoryDays, mostHistoryDays, type CollectionKind, type Collection, type Definition } from "./collection.ts";

/** Members and entries of a document, on whatever level: more than any definition needs. */
const mostValues = 50_000;
const mostErrors = 100;

type Path = readonly (string | number)[];

/** What is wrong with a document before anybody reads it: too many values, or numbers that doubles do not hold. */
export function documentErrors(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const open: [value: unknown, path: Path][] = [[body, []]];
  let found = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, path] = next;
    if (value instanceof InexactNumber) {
      const reason = "A JSON number of double precision does not hold this exactly.";
      if (errors.length < mostErrors) errors.push(invalid(path, reason));
    } else if (typeof value === "object" && value !== null) {
      const within = Object.entries(value);
      found += within.length;
      if (found > mostValues) {
        return [invalid([], `A definition has at most ${mostValues} values.`)];
      }
      for (const [key, each] of within) {
        // A default is judged by its field.
        if (key === "default" || typeof each !== "object") continue;
        open.push([each, [...path, Array.isArray(value) ? Number(key) : key]]);
      }
    }
  }
  return errors;
}

const fieldKey = z
  .string()
  .check(z.regex(/^[a-z][a-z0-9_]{0,62}$/, "Must match ^[a-z][a-z0-9_]{0,62}$."));
export const collectionKey = /^[a-z][a-z0-9_-]{0,62}$/;

const writing = (longest: number) =>
  z.string().check(z.maxLength(longest), z.refine(isStorable, `Must be ${storable}.`));

const named = {
  key: fieldKey,
  label: z.optional(writing(200)),
  required: z._default(z.boolean(), false),
  searchable: z._default(z.boolean(), true),
  default: z.optional(z.unknown()),
  renamed_from: z.optional(fieldKey),
  /** The server's; accepted so that a document can be read, changed and sent back. */
  previous_keys: z.optional(z.unknown()),
};
const scalar = { ...named, unique: z._default(z.boolean(), false) };
const count = z.int().check(z.minimum(0));
const text = (longest: number) => ({
  ...scalar,
  min_length: z.optional(count),
  max_length: z._default(count.check(z.minimum(1), z.maximum(100_000)), longest),
  pattern: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
});
const options = z
  .array(
    z.strictObject({
      value: writing(200).check(
        z.minLength(1),
        z.refine(hasNoControls, "Must hold no control characters."),
      ),
      label: z.optional(writing(200)),
    }),
  )
  .check(z.minLength(1), z.maxLength(1000));

const scalarFields = [
  z.strictObject({ type: z.literal("text"), ...text(1000) }),
  z.strictObject({ type: z.literal("multiline_text"), ...text(20_000) }),
  z.strictObject({
    type: z.literal("number"),
    ...scalar,
    integer: z.optional(z.boolean()),
    minimum: z.optional(z.number()),
    maximum: z.optional(z.number()),
    decimals: z.optional(z.int().check(z.minimum(0), z.maximum(15))),
  }),
  z.strictObject({ type: z.literal("boolean"), ...scalar }),
  z.strictObject({ type: z.literal("date"), ...scalar }),
  z.strictObject({ type: z.literal("datetime"), ...scalar }),
  z.strictObject({ type: z.literal("email"), ...scalar }),
  z.strictObject({ type: z.literal("url"), ...scalar }),
  z.strictObject({ type: z.literal("phone"), ...scalar }),
  z.strictObject({ type: z.literal("select"), ...scalar, options }),
] as const;
const multiSelect = z.strictObject({ type: z.literal("multi_select"), ...named, options });
const { required: _required, default: _default, ...unsent } = named;
const computed = z.strictObject({
  type: z.literal("computed"),
  ...unsent,
  formula: z.string().check(z.minLength(1), z.maxLength(2000)),
  result: z.enum(["number", "text", "boolean", "date", "datetime"]),
  decimals: z.optional(z.int().check(z.minimum(0), z.maximum(15))),
});
const rowField = z.discriminatedUnion("type", [...scalarFields, computed, multiSelect]);
const lineItems = z.strictObject({
  type: z.literal("line_items"),
  ...named,
  fields: z.array(rowField).check(z.minLength(1)),
  min_rows: z.optional(count.check(z.maximum(500))),
  max_rows: z._default(count.check(z.minimum(1), z.maximum(500)), 500),
});
const field = z.discriminatedUnion("type", [...scalarFields, computed, multiSelect, lineItems]);

const timestamp = z.nullable(
  z.pipe(
    z
      .string()
      .check(
        z.refine(
          (value) => instant(value) !== undefined,
          "Must be an RFC 3339 date-time with an offset.",
        ),
      ),
    z.transform((value: string) => instant(value) ?? 0),
  ),
);
const acceptance = z.strictObject({
  state: z._default(z.enum(["open", "closed"]), "open"),
  opens_at: z._default(timestamp, null),
  closes_at: z._default(timestamp, null),
  max_submissions: z._default(z.nullable(z.int().check(z.minimum(1))), null),
  accepting: z.optional(z.unknown()),
});

const shared = {
  key: z.optional(z.string()),
  name: z.optional(writing(200).check(z.minLength(1))),
  description: z.optional(writing(5000)),
  time_zone: z.optional(
    z.string().check(z.refine(isTimeZone, "Must be an IANA time zone, like Asia/Tokyo.")),
  ),
  history_days: z.optional(z.int().check(z.minimum(fewestHistoryDays), z.maximum(mostHistoryDays))),
  fields: z.array(field),
  schema_version: z.optional(z.unknown()),
  indexing: z.optional(z.unknown()),
  pending: z.optional(z.unknown()),
  links: z.optional(z.unknown()),
};
/** What a definition document is checked with first; rules that span fields come after. */
export const documents = {
  app: z.strictObject({
    ...shared,
    receipt_prefix: z.optional(
      z.string().check(
        z.regex(
          /^[A-Za-z0-9._-]{0,20}$/,
          "Must be at most 20 of A-Z, a-z, 0-9, dot, dash, underscore.",
        ),
        z.refine((prefix) => !prefix.startsWith("rec_"), 'Must not start with "rec_".'),
      ),
    ),
  }),
  form: z.strictObject({ ...shared, acceptance: z.optional(acceptance) }),
};

export type FieldDocument = z.infer<typeof field>;
export type LineItemsDocument = z.infer<typeof lineItems>;

/** A definition as it was sent, its defaults filled in. What is left out at the top stays as it is. */
export interface DefinitionDocument {
  name?: string | undefined;
  description?: string | undefined;
  time_zone?: string | undefined;
  receipt_prefix?: string | undefined;
  acceptance?: z.infer<typeof acceptance> | undefined;
  history_days?: number | undefined;
  fields: FieldDocument[];
}

interface Parsed {
  /** Absent where the document cannot be read. */
  document?: DefinitionDocument;
  errors: FieldError[];
}

/** Reads a definition document; `key` is the one in the path. Every error is `invalid_definition`. */
export function parseDefinition(kind: CollectionKind, key: string, body: unknown): Parsed {
  const oversize = documentErrors(body);
  if (oversize.length > 0) return { errors: oversize };
  const parsed = documents[kind].safeParse(body, { reportInput: true });
  if (!parsed.success) return { errors: zodErrors(parsed.error.issues, "invalid_definition") };
  const document = parsed.data;
  const errors = [...keyErrors(document.key, key), ...fieldListErrors(document.fields, ["fields"])];
  if ("acceptance" in document) errors.push(...acceptanceErrors(document.acceptance));
  return { document, errors };
}

function keyErrors(sent: string | undefined, key: string): FieldError[] {
  if (sent === undefined || sent === key) return [];
  return [invalid(["key"], `Must be "${key}", as in the path, or be left out.`)];
}

function acceptanceErrors(sent: z.infer<typeof acceptance> | undefined): FieldError[] {
  if (!sent || sent.opens_at === null || sent.closes_at === null) return [];
  if (sent.opens_at < sent.closes_at) return [];
  return [invalid(["acceptance", "closes_at"], "Must be later than opens_at.")];
}

/** A field as a definition says it (contract, section 7), without what is the server's own. */
export function fieldDocument(field: Field): Record<string, unknown> {
  const { id: _, key, label, type, previous_keys, ...rules } = field;
  const { retired: __, uniqueId: ___, ...shown } = { retired: [], uniqueId: 0, ...rules };
  return {
    key,
    label,
    type,
    ...shown,
    ...(field.type === "computed" ? { required: undefined } : {}),
    ...(field.type === "line_items" ? { fields: field.fields.map(fieldDocument) } : {}),
    ...(previous_keys.length > 0 ? { previous_keys } : {}),
  };
}

/** What a definition says, whatever numbers its fields have: two that say the same are the same change. */
export function saying(kind: Collection["kind"], { fields, ...rest }: Definition): string {
  return JSON.stringify([kind, rest, fields.fields.map(fieldDocument)]);
}
