import * as z from "zod/mini";
import { isObject } from "#domain/json.ts";
import { lazy } from "#domain/lazy.ts";
import { bodyParseOptions, zodErrors } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import {
  alwaysOpen,
  defaultHistoryDays,
  replaceRetention,
  retainSchema,
  type Acceptance,
  type CollectionKind,
  type Definition,
  type RetentionRule,
} from "./collection.ts";
import {
  acceptanceSettings,
  receiptPrefixSchema,
  settingSchemas,
  titleFieldSchema,
} from "./document.ts";
import { acceptanceErrors, documentErrors, keyErrors } from "./document-errors.ts";
import { definitionError, type FieldSet } from "./field.ts";
import { findTitle, mergeTitle } from "./title.ts";
import { mergePendingViews } from "#domain/search/merge-views.ts";
import { viewErrors } from "#domain/search/view-errors.ts";
import { viewsSchema, type ViewDocument } from "./view.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

const sharedPatchProperties = () => ({
  key: z.optional(z.string()),
  name: z.optional(z.nullable(settingSchemas().name)),
  description: z.optional(z.nullable(settingSchemas().description)),
  time_zone: z.optional(z.nullable(settingSchemas().time_zone)),
  history_days: z.optional(z.nullable(settingSchemas().history_days)),
  views: z.optional(z.nullable(viewsSchema())),
});
/** The schemas of merge patches. Null restores the default of a member. */
export const patchSchemas = {
  app: lazy(() =>
    z.strictObject({
      ...sharedPatchProperties(),
      receipt_prefix: z.optional(z.nullable(receiptPrefixSchema())),
      title_field: z.optional(titleFieldSchema()),
    }),
  ),
  form: lazy(() => {
    const { state, opens_at, closes_at, max_submissions } = acceptanceSettings();
    const acceptance = z.strictObject({
      state: z.optional(z.nullable(state)),
      opens_at: z.optional(opens_at),
      closes_at: z.optional(closes_at),
      max_submissions: z.optional(max_submissions),
    });
    return z.strictObject({
      ...sharedPatchProperties(),
      acceptance: z.optional(z.nullable(acceptance)),
      retain: z.optional(retainSchema()),
    });
  }),
};

/** Null restores the default. An absent member keeps its value. */
interface SettingsPatch {
  name?: string | null | undefined;
  description?: string | null | undefined;
  time_zone?: string | null | undefined;
  receipt_prefix?: string | null | undefined;
  history_days?: number | null | undefined;
  views?: ViewDocument[] | null | undefined;
  retain?: RetentionRule | null | undefined;
  title_field?: string | null | undefined;
  acceptance?:
    | { [Member in keyof Acceptance]?: Acceptance[Member] | null | undefined }
    | null
    | undefined;
}

/** A patch of a definition. It changes everything except the fields. */
export interface DefinitionPatch {
  /** The current definition with the patch applied. */
  patched: Definition;
  /**
   * Applies the patch to a pending definition. Fields may have other keys there.
   * @throws Problem `invalid_input` if the patch does not fit that definition.
   */
  applyToPending: (pending: Definition) => Definition;
}

const serverMembers = ["schema_version", "indexing", "pending", "consequences", "links"];

/**
 * Parses a merge patch for this definition.
 * @throws Problem `invalid_input` with every error. No body causes any other exception.
 */
export function parseDefinitionPatch(
  kind: CollectionKind,
  key: string,
  current: Definition,
  body: unknown,
): DefinitionPatch {
  const structureErrors = documentErrors(body);
  if (structureErrors.length > 0) throw problem.invalidInput(structureErrors);
  const { settings, errors } = withoutFixedMembers(kind, body);
  const result = patchSchemas[kind]().safeParse(settings, bodyParseOptions);
  if (!result.success) {
    const schemaErrors = zodErrors(result.error.issues, "invalid_definition");
    throw problem.invalidInput([...errors, ...schemaErrors]);
  }
  const { key: sentKey, ...patch }: SettingsPatch & { key?: string | undefined } = result.data;
  const patched = applyPatch(key, current, patch);
  const allErrors = [
    ...errors,
    ...keyErrors(sentKey, key),
    ...acceptanceErrors(patched.acceptance),
    ...(patch.views ? viewErrors(kind, key, patched, [current]) : []),
    ...findTitle(current.fields.fields, patch.title_field ?? null).errors,
  ];
  if (allErrors.length > 0) throw problem.invalidInput(allErrors);
  return {
    patched,
    applyToPending: (pending) =>
      applyToPending({ kind, key, before: current, after: patched }, patch, pending),
  };
}

interface PatchedCollection {
  kind: CollectionKind;
  key: string;
  /** The current definition without and with the patch. */
  before: Definition;
  after: Definition;
}

/**
 * Applies to a pending definition what the patch changes in the current one. Fields may have different keys in both.
 */
function applyToPending(
  { kind, key, before, after }: PatchedCollection,
  patch: SettingsPatch,
  pending: Definition,
): Definition {
  const { views, fields } = after;
  const mergedViews =
    patch.views === undefined ? undefined : mergePendingViews(before, views ?? [], pending);
  const title = patch.title_field && pending.fields.fields.find(({ id }) => id === fields.title);
  const definition = applyPatch(key, pending, {
    ...patch,
    views: mergedViews?.views,
    title_field: title ? title.key : patch.title_field,
  });
  const errors = [
    ...(mergedViews?.errors ?? []),
    ...(patch.title_field ? mergeTitle(fields, pending.fields.fields, undefined).errors : []),
    ...acceptanceErrors(definition.acceptance),
  ];
  const allErrors =
    errors.length > 0 ? errors : viewErrors(kind, key, definition, [before, pending]);
  if (allErrors.length > 0) throw problem.invalidInput(allErrors);
  return definition;
}

/** Reports the members that a patch cannot change, each with its own reason, and removes them. */
function withoutFixedMembers(
  kind: CollectionKind,
  body: unknown,
): { settings: unknown; errors: FieldError[] } {
  if (!isObject(body)) return { settings: body, errors: [] };
  const errors: FieldError[] = [];
  const { fields, acceptance, ...members } = body;
  if (fields !== undefined) {
    const reason = reasonFor("fieldsNotPatched");
    errors.push(definitionError(["fields"], reason));
  }
  const settings: Record<string, unknown> = { ...members };
  for (const name of serverMembers) {
    if (!Object.hasOwn(settings, name)) continue;
    errors.push(definitionError([name], reasonFor("setByServer", { name })));
    delete settings[name];
  }
  if (acceptance === undefined) return { settings, errors };
  if (kind === "app" || !isObject(acceptance))
    return { settings: { ...settings, acceptance }, errors };
  const { accepting, ...changes } = acceptance;
  if (accepting !== undefined) {
    const reason = reasonFor("acceptingSetByServer");
    errors.push(definitionError(["acceptance", "accepting"], reason));
  }
  return { settings: { ...settings, acceptance: changes }, errors };
}

/**
 * Returns the patched value: the current value if the patch omits it, the default for null, and otherwise the new
 * value.
 */
function patchSetting<Value>(
  patchValue: Value | null | undefined,
  current: Value,
  defaultValue: Value,
): Value {
  return patchValue === undefined ? current : (patchValue ?? defaultValue);
}

function applyPatch(key: string, definition: Definition, patch: SettingsPatch): Definition {
  return {
    name: patchSetting(patch.name, definition.name, key),
    description: patchSetting(patch.description, definition.description, ""),
    time_zone: patchSetting(patch.time_zone, definition.time_zone, "UTC"),
    receipt_prefix: patchSetting(patch.receipt_prefix, definition.receipt_prefix, ""),
    acceptance: patchAcceptance(definition.acceptance, patch.acceptance),
    history_days: patchSetting(
      patch.history_days,
      definition.history_days ?? defaultHistoryDays,
      defaultHistoryDays,
    ),
    views: patchSetting(patch.views, definition.views ?? [], []),
    retain: replaceRetention(definition.retain, patch.retain),
    ...(definition.location === undefined ? {} : { location: definition.location }),
    fields: patchTitle(definition.fields, patch),
  };
}

function patchTitle(fields: FieldSet, { title_field: key }: SettingsPatch): FieldSet {
  if (key === undefined) return fields;
  const { title: _title, ...others } = fields;
  return { ...others, ...findTitle(fields.fields, key).member };
}

function patchAcceptance(
  current: Acceptance,
  patch: SettingsPatch["acceptance"] | undefined,
): Acceptance {
  if (patch === undefined) return current;
  if (patch === null) return alwaysOpen;
  const { state, opens_at, closes_at, max_submissions } = patch;
  return {
    state: patchSetting(state, current.state, alwaysOpen.state),
    opens_at: patchSetting(opens_at, current.opens_at, alwaysOpen.opens_at),
    closes_at: patchSetting(closes_at, current.closes_at, alwaysOpen.closes_at),
    max_submissions: patchSetting(
      max_submissions,
      current.max_submissions,
      alwaysOpen.max_submissions,
    ),
  };
}
