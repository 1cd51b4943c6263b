import type { ActionContext } from "#actions/context.ts";
import { findRecordChoices, loadTitles, type Titles } from "#actions/reference-titles.ts";
import { findNamedRecords } from "#actions/references.ts";
import { requireCachedOrStoredCollection } from "#actions/collection-cache.ts";
import { foldCase } from "#domain/data/index-entries.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { RecordTitle } from "#store/data/reference-titles.ts";
import { readItemData } from "./read-form.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { recordLabel, type References } from "#admin/items/references.tsx";

/** The maximum number of searches for records for one form. Further texts are reported as unknown. */
const maxSearches = 5;

/** An input for a reference and its text. */
interface ReferenceInput {
  name: string;
  app: string;
  text: string;
}

function referenceInputs(fields: readonly Field[], form: FormValues): ReferenceInput[] {
  const apps = new Map(
    fields.flatMap((field): [string, string][] => {
      if (field.type === "reference") return [[field.key, field.app]];
      if (field.type !== "line_items") return [];
      return field.fields.flatMap((column): [string, string][] =>
        column.type === "reference" ? [[`${field.key}[].${column.key}`, column.app]] : [],
      );
    }),
  );
  if (apps.size === 0) return [];
  return Object.entries(form).flatMap(([name, value]) => {
    const app = apps.get(name.replace(/\[\d+\]/, "[]"));
    const text = textOf(value).trim();
    return app === undefined || text === "" || text.startsWith("rec_") ? [] : [{ name, app, text }];
  });
}

/** Returns the receipt number at the end of a label, as in `Yamada (CUS-000001)` and `山田（CUS-000001）`. */
const receiptOf = (text: string) => /[(（]([^()（）]+)[)）]$/.exec(text)?.[1] ?? text;

/** A form in which the texts of records are replaced by IDs. */
export interface ResolvedForm {
  form: FormValues;
  /** The records that match a text, if there are several. */
  choices: Map<string, RecordTitle[]>;
  /** The records that were found by a part of their title or by another text, by the entered text. */
  guesses: Map<string, RecordTitle>;
}

/** Whether a text is the title of a record. */
const isTitle = (text: string, { title }: RecordTitle) =>
  title !== null && foldCase(title.trim()) === foldCase(text);

/**
 * Replaces the texts of references by IDs. A text is a label, a receipt number, or anything that finds exactly one
 * record. If it finds several, the form is rendered again with these as suggestions.
 */
export async function findFormRecords(
  ctx: ActionContext,
  collection: Collection,
  form: FormValues,
  fields: readonly Field[] = collection.definition.fields.fields,
): Promise<ResolvedForm> {
  const inputs = referenceInputs(fields, form);
  const choices: ResolvedForm["choices"] = new Map();
  const guesses: ResolvedForm["guesses"] = new Map();
  if (inputs.length === 0) return { form, choices, guesses };
  const names = inputs.map(({ app, text }) => ({ app, receipt: receiptOf(text) }));
  const ids = await findNamedRecords(ctx, collection, names);
  const foundIds: FormValues = {};
  let searches = 0;
  for (const [place, { name, app, text }] of inputs.entries()) {
    const id = ids.get(place);
    if (id !== undefined) foundIds[name] = id;
    else if (searches < maxSearches) {
      searches += 1;
      const records = await findRecordChoices(
        ctx,
        await requireCachedOrStoredCollection(ctx, "app", app),
        text,
      );
      const [record] = records;
      if (record && records.length === 1) {
        foundIds[name] = record.id;
        if (!isTitle(text, record)) guesses.set(text, record);
      } else choices.set(name, records);
    }
  }
  return { form: { ...form, ...foundIds }, choices, guesses };
}

/** Adds the records that were chosen for texts other than their titles to a confirmation. */
export function withGuesses(
  message: string,
  { guesses }: ResolvedForm,
  catalogue: Pick<Catalogue, "itemForm" | "terms">,
): string {
  const labels = [...guesses].map(([text, record]) => ({
    text,
    label: recordLabel(record, catalogue),
  }));
  return labels.length === 0 ? message : catalogue.itemForm.guessed(message, labels);
}

/** Loads the titles for a form, of stored and of submitted values. */
export async function formReferences(
  ctx: ActionContext,
  collection: Collection,
  data: Record<string, unknown>,
  sent?: { form: FormValues; zone: string; choices: References["choices"] },
): Promise<References> {
  const { fields } = collection.definition.fields;
  const sentData = sent ? [readItemData(fields, sent.form, sent.zone)] : [];
  const titles: Titles = await loadTitles(ctx, collection, [data, ...sentData]);
  return { titles, choices: sent?.choices ?? new Map() };
}
