import * as z from "zod";
import type { FieldError } from "../problem";
import { isStorable, storable } from "../text";
import { instant, isTimeZone } from "../time";
import { zodErrors } from "../zod-errors";
import type { CollectionKind } from "./collection";
import { fieldListErrors, invalid } from "./rules";

const fieldKey = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, "Must match ^[a-z][a-z0-9_]{0,62}$.");
export const collectionKey = /^[a-z][a-z0-9_-]{0,62}$/;

const mostFields = 500;
export const mostDefinitionBytes = 256 * 1024;

const writing = (longest: number) =>
  z.string().max(longest).refine(isStorable, `Must be ${storable}.`);

const named = {
  key: fieldKey,
  label: writing(200).optional(),
  required: z.boolean().default(false),
  searchable: z.boolean().default(true),
  default: z.unknown().optional(),
  renamed_from: fieldKey.optional(),
  /** The server's; accepted so that a document can be read, changed and sent back. */
  previous_keys: z.unknown().optional(),
};
const scalar = { ...named, unique: z.boolean().default(false) };
const count = z.int().min(0);
const text = (longest: number) => ({
  ...scalar,
  min_length: count.optional(),
  max_length: count.min(1).max(100_000).default(longest),
  pattern: z.string().min(1).max(1000).optional(),
});
const options = z
  .array(
    z.strictObject({
      value: writing(200).min(1),
      label: writing(200).optional(),
    }),
  )
  .min(1)
  .max(1000);

const scalarFields = [
  z.strictObject({ type: z.literal("text"), ...text(1000) }),
  z.strictObject({ type: z.literal("multiline_text"), ...text(20_000) }),
  z.strictObject({
    type: z.literal("number"),
    ...scalar,
    integer: z.boolean().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    decimals: z.int().min(0).max(15).optional(),
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
  formula: z.string().min(1).max(2000),
  result: z.enum(["number", "text", "boolean", "date", "datetime"]),
  decimals: z.int().min(0).max(15).optional(),
});
const rowField = z.discriminatedUnion("type", [...scalarFields, computed, multiSelect]);
const lineItems = z.strictObject({
  type: z.literal("line_items"),
  ...named,
  fields: z.array(rowField).min(1),
  min_rows: count.max(500).optional(),
  max_rows: count.min(1).max(500).default(500),
});
const field = z.discriminatedUnion("type", [...scalarFields, computed, multiSelect, lineItems]);

const timestamp = z
  .string()
  .refine((value) => instant(value) !== undefined, "Must be an RFC 3339 date-time with an offset.")
  .transform((value) => instant(value) ?? 0)
  .nullable();
const acceptance = z.strictObject({
  state: z.enum(["open", "closed"]).default("open"),
  opens_at: timestamp.default(null),
  closes_at: timestamp.default(null),
  max_submissions: z.int().min(1).nullable().default(null),
  accepting: z.unknown().optional(),
});

const shared = {
  key: z.string().optional(),
  name: writing(200).min(1).optional(),
  description: writing(5000).optional(),
  time_zone: z
    .string()
    .refine(isTimeZone, "Must be an IANA time zone, like Asia/Tokyo.")
    .optional(),
  fields: z.array(field),
  schema_version: z.unknown().optional(),
  indexing: z.unknown().optional(),
  links: z.unknown().optional(),
};
/** What a definition document is checked with first; rules that span fields come after. */
export const documents = {
  app: z.strictObject({
    ...shared,
    receipt_prefix: z
      .string()
      .regex(
        /^[A-Za-z0-9._-]{0,20}$/,
        "Must be at most 20 of A-Z, a-z, 0-9, dot, dash, underscore.",
      )
      .refine((prefix) => !prefix.startsWith("rec_"), 'Must not start with "rec_".')
      .optional(),
  }),
  form: z.strictObject({ ...shared, acceptance: acceptance.optional() }),
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
  fields: FieldDocument[];
}

interface Parsed {
  /** Absent where the document cannot be read. */
  document?: DefinitionDocument;
  errors: FieldError[];
}

/** Reads a definition document; `key` is the one in the path. Every error is `invalid_definition`. */
export function parseDefinition(kind: CollectionKind, key: string, body: unknown): Parsed {
  const parsed = documents[kind].safeParse(body, { reportInput: true });
  if (!parsed.success) return { errors: zodErrors(parsed.error.issues, "invalid_definition") };
  const document = parsed.data;
  const errors = [...keyErrors(document.key, key), ...fieldListErrors(document.fields, ["fields"])];
  if (countFields(document.fields) > mostFields) {
    errors.push(invalid(["fields"], `A definition has at most ${mostFields} fields.`));
  }
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

function countFields(fields: FieldDocument[]): number {
  return fields.reduce(
    (sum, each) => sum + 1 + (each.type === "line_items" ? each.fields.length : 0),
    0,
  );
}
