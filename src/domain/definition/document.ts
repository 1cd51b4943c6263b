import * as z from "zod/mini";
import { fieldKeyPattern, type Field, type ScalarField } from "./field.ts";
import { maxFileBytes, maxFilesPerField } from "#domain/files/file.ts";
import { hasNoControls, isStorable, notStorableReason } from "#domain/text.ts";
import { toEpochMs, isTimeZone } from "#domain/time.ts";
import { minHistoryDays, retainSchema, type RetentionRule, maxHistoryDays } from "./collection.ts";
import { locations, type Location } from "./location.ts";
import { viewsSchema, type ViewDocument } from "./view.ts";
import { lazy } from "#domain/lazy.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

const fieldKeySchema = lazy(() =>
  z
    .string()
    .check(z.regex(fieldKeyPattern, reasonFor("keyFormat", { pattern: fieldKeyPattern.source }))),
);
export const collectionKeyPattern = /^[a-z][a-z0-9_-]{0,62}$/;

const boundedText = (maxLength: number) =>
  z.string().check(z.maxLength(maxLength), z.refine(isStorable, notStorableReason));

export const maxHelpLength = 500;

const commonProperties = lazy(() => ({
  key: fieldKeySchema(),
  label: z.optional(boundedText(200)),
  help: z.optional(boundedText(maxHelpLength)),
  section: z.optional(boundedText(200).check(z.minLength(1))),
  required: z._default(z.boolean(), false),
  searchable: z._default(z.boolean(), true),
  default: z.optional(z.unknown()),
  renamed_from: z.optional(fieldKeySchema()),
  /** Set by the server. Accepted and ignored, so that clients can send back a document that they have read. */
  previous_keys: z.optional(z.unknown()),
}));
const scalarProperties = lazy(() => ({
  ...commonProperties(),
  unique: z._default(z.boolean(), false),
}));
const referenceProperties = lazy(() => {
  const { default: _default, ...properties } = scalarProperties();
  return properties;
});
const countSchema = lazy(() => z.int().check(z.minimum(0)));
const textProperties = (defaultMaxLength: number) => ({
  ...scalarProperties(),
  min_length: z.optional(countSchema()),
  max_length: z._default(countSchema().check(z.minimum(1), z.maximum(100_000)), defaultMaxLength),
  pattern: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
});
const optionsSchema = lazy(() =>
  z
    .array(
      z.strictObject({
        value: boundedText(200).check(
          z.minLength(1),
          z.refine(hasNoControls, reasonFor("hasControls")),
        ),
        label: z.optional(boundedText(200)),
      }),
    )
    .check(z.minLength(1), z.maxLength(1000)),
);

const scalarFieldSchemas = lazy(() => {
  const { text, ...others } = {
    text: z.strictObject({ type: z.literal("text"), ...textProperties(1000) }),
    multiline_text: z.strictObject({
      type: z.literal("multiline_text"),
      ...textProperties(20_000),
    }),
    number: z.strictObject({
      type: z.literal("number"),
      ...scalarProperties(),
      integer: z.optional(z.boolean()),
      minimum: z.optional(z.number()),
      maximum: z.optional(z.number()),
      decimals: z.optional(z.int().check(z.minimum(0), z.maximum(15))),
    }),
    boolean: z.strictObject({ type: z.literal("boolean"), ...scalarProperties() }),
    date: z.strictObject({ type: z.literal("date"), ...scalarProperties() }),
    datetime: z.strictObject({ type: z.literal("datetime"), ...scalarProperties() }),
    email: z.strictObject({ type: z.literal("email"), ...scalarProperties() }),
    url: z.strictObject({ type: z.literal("url"), ...scalarProperties() }),
    phone: z.strictObject({ type: z.literal("phone"), ...scalarProperties() }),
    select: z.strictObject({
      type: z.literal("select"),
      ...scalarProperties(),
      options: optionsSchema(),
    }),
    reference: z.strictObject({
      type: z.literal("reference"),
      ...referenceProperties(),
      app: z.string().check(z.regex(collectionKeyPattern, reasonFor("notAppKey"))),
    }),
  } satisfies Record<ScalarField["type"], z.ZodMiniObject>;
  return [text, ...Object.values(others)] as const;
});
const multiSelectSchema = lazy(() =>
  z.strictObject({
    type: z.literal("multi_select"),
    ...commonProperties(),
    options: optionsSchema(),
  }),
);
const computedSchema = lazy(() => {
  const { required: _required, default: _default, ...computedProperties } = commonProperties();
  return z.strictObject({
    type: z.literal("computed"),
    ...computedProperties,
    formula: z.string().check(z.minLength(1), z.maxLength(2000)),
    result: z.enum(["number", "text", "boolean", "date", "datetime"]),
    decimals: z.optional(z.int().check(z.minimum(0), z.maximum(15))),
  });
});
const rowFieldSchema = lazy(() =>
  z.discriminatedUnion("type", [...scalarFieldSchemas(), computedSchema(), multiSelectSchema()]),
);
const lineItemsSchema = lazy(() =>
  z.strictObject({
    type: z.literal("line_items"),
    ...commonProperties(),
    fields: z.array(rowFieldSchema()).check(z.minLength(1)),
    min_rows: z.optional(countSchema().check(z.maximum(500))),
    max_rows: z._default(countSchema().check(z.minimum(1), z.maximum(500)), 500),
  }),
);
const mediaRangeSchema = lazy(() =>
  z
    .string()
    .check(
      z.regex(
        /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/,
        reasonFor("notMediaType"),
      ),
    ),
);
const filesSchema = lazy(() => {
  const { default: _default, ...properties } = commonProperties();
  return z.strictObject({
    type: z.literal("files"),
    ...properties,
    max_files: z._default(countSchema().check(z.minimum(1), z.maximum(maxFilesPerField)), 10),
    max_bytes: z._default(countSchema().check(z.minimum(1), z.maximum(maxFileBytes)), maxFileBytes),
    accept: z.optional(z.array(mediaRangeSchema()).check(z.minLength(1), z.maxLength(50))),
  });
});
export const fieldSchema = lazy(() =>
  z.discriminatedUnion("type", [
    ...scalarFieldSchemas(),
    computedSchema(),
    multiSelectSchema(),
    lineItemsSchema(),
    filesSchema(),
  ]),
);

/** Parses the properties that every type of field has. Used for a field with an unknown type. */
export const typelessFieldSchema = lazy(() =>
  z.object({ ...commonProperties(), unique: z.optional(z.boolean()) }),
);
export const fieldProperties = lazy(
  () =>
    new Set(
      [
        ...scalarFieldSchemas(),
        computedSchema(),
        multiSelectSchema(),
        lineItemsSchema(),
        filesSchema(),
      ].flatMap(({ shape }) => Object.keys(shape)),
    ),
);

const dateTimeSchema = lazy(() =>
  z.nullable(
    z.pipe(
      z
        .string()
        .check(z.refine((value) => toEpochMs(value) !== undefined, reasonFor("notOffsetDateTime"))),
      z.transform((value: string) => toEpochMs(value) ?? 0),
    ),
  ),
);
/** The settings of a form's acceptance. Null means no limit. */
export const acceptanceSettings = lazy(() => ({
  state: z.enum(["open", "closed"]),
  opens_at: dateTimeSchema(),
  closes_at: dateTimeSchema(),
  max_submissions: z.nullable(z.int().check(z.minimum(1))),
}));
const acceptanceSchema = lazy(() => {
  const { state, opens_at, closes_at, max_submissions } = acceptanceSettings();
  return z.strictObject({
    state: z._default(state, "open"),
    opens_at: z._default(opens_at, null),
    closes_at: z._default(closes_at, null),
    max_submissions: z._default(max_submissions, null),
    accepting: z.optional(z.unknown()),
  });
});

export const settingSchemas = lazy(() => ({
  name: boundedText(200).check(z.minLength(1)),
  description: boundedText(5000),
  time_zone: z.string().check(z.refine(isTimeZone, reasonFor("notTimeZone"))),
  history_days: z.int().check(z.minimum(minHistoryDays), z.maximum(maxHistoryDays)),
}));
export const receiptPrefixSchema = lazy(() =>
  z.string().check(
    z.regex(/^[A-Za-z0-9._-]{0,20}$/, reasonFor("receiptPrefixFormat")),
    z.refine((prefix) => !prefix.startsWith("rec_"), reasonFor("receiptPrefixReserved")),
  ),
);

/** The key of a field, or null for none. */
export const titleFieldSchema = lazy(() => z.nullable(z.string()));

const sharedProperties = lazy(() => ({
  key: z.optional(z.string()),
  name: z.optional(settingSchemas().name),
  description: z.optional(settingSchemas().description),
  time_zone: z.optional(settingSchemas().time_zone),
  history_days: z.optional(settingSchemas().history_days),
  views: z.optional(viewsSchema()),
  location: z.optional(z.enum(locations)),
  fields: z.array(fieldSchema()),
  schema_version: z.optional(z.unknown()),
  indexing: z.optional(z.unknown()),
  pending: z.optional(z.unknown()),
  consequences: z.optional(z.unknown()),
  links: z.optional(z.unknown()),
}));
/** The schemas of definition documents. Rules that span several fields are checked afterwards. */
export const documentSchemas = {
  app: lazy(() =>
    z.strictObject({
      ...sharedProperties(),
      receipt_prefix: z.optional(receiptPrefixSchema()),
      title_field: z.optional(titleFieldSchema()),
    }),
  ),
  form: lazy(() =>
    z.strictObject({
      ...sharedProperties(),
      acceptance: z.optional(acceptanceSchema()),
      retain: z.optional(retainSchema()),
    }),
  ),
};

export type FieldDocument = z.infer<ReturnType<typeof fieldSchema>>;
export type LineItemsDocument = z.infer<ReturnType<typeof lineItemsSchema>>;

/** A definition from a request, with defaults filled in. Omitted top-level members stay unchanged. */
export interface DefinitionDocument {
  name?: string | undefined;
  description?: string | undefined;
  time_zone?: string | undefined;
  receipt_prefix?: string | undefined;
  title_field?: string | null | undefined;
  acceptance?: z.infer<ReturnType<typeof acceptanceSchema>> | undefined;
  history_days?: number | undefined;
  /** If absent, the current views stay. */
  views?: ViewDocument[] | undefined;
  retain?: RetentionRule | null | undefined;
  /** Only the creation of a collection accepts a location. */
  location?: Location | undefined;
  fields: FieldDocument[];
}

/** Returns the public form of a field, without ids and other internal members. */
export function fieldDocument(field: Field): Record<string, unknown> {
  const { id: _id, key, label, type, previous_keys, ...rules } = field;
  const internal = ["retired", "uniqueId", "formerOptions", "hasDroppedOptions"];
  const publicRules = Object.entries(rules).filter(
    // A caller who may not know a formula gets a field with an empty formula, which no definition has.
    ([name, value]) => !internal.includes(name) && !(name === "formula" && value === ""),
  );
  return {
    key,
    label,
    type,
    ...Object.fromEntries(publicRules),
    ...(field.type === "computed" ? { required: undefined } : {}),
    ...(field.type === "line_items" ? { fields: field.fields.map(fieldDocument) } : {}),
    ...(previous_keys.length > 0 ? { previous_keys } : {}),
  };
}
