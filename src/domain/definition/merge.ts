import type { FieldError } from "#domain/problem/problem.ts";
import { alwaysOpen, defaultHistoryDays, type CollectionKind, type Definition, type Emptied, type Gained } from "./collection.ts";
import { type DefinitionDocument, type FieldDocument, type LineItemsDocument, fieldDocument } from "./document.ts";
import { invalid, noFields, uniqueIdOf, type Field, type FieldSet, type RowField } from "./field.ts";

/** A definition with a document applied, and what that asks of the data that is stored. */
export interface Merged {
  definition: Definition;
  errors: FieldError[];
  /** Fields that changed their type. */
  emptied: Emptied[];
  /** Fields that became unique, of those that items can have values of. */
  gained: Gained[];
  /** Ids of unique values that are none any more. */
  lost: number[];
}

/** Applies a document to what is defined now (null when the collection is new). */
export function mergeDefinition(
  kind: CollectionKind,
  key: string,
  current: Definition | null,
  document: DefinitionDocument,
): Merged {
  const before = current?.fields ?? noFields;
  const work: Work = { next: before.next, errors: [], emptied: [] };
  const { fields, retired } = mergeFields(before, document.fields, work, ["fields"], null);
  const after: FieldSet = { fields, retired, next: work.next };
  return {
    definition: {
      name: document.name ?? current?.name ?? key,
      description: document.description ?? current?.description ?? "",
      time_zone: document.time_zone ?? current?.time_zone ?? "UTC",
      receipt_prefix:
        kind === "app" ? (document.receipt_prefix ?? current?.receipt_prefix ?? "") : "",
      acceptance: mergeAcceptance(current, document),
      history_days: document.history_days ?? current?.history_days ?? defaultHistoryDays,
      fields: after,
    },
    errors: work.errors,
    emptied: work.emptied,
    ...uniqueChanges(before, after),
  };
}

function mergeAcceptance(current: Definition | null, document: DefinitionDocument) {
  if (!document.acceptance) return current?.acceptance ?? alwaysOpen;
  const { state, opens_at, closes_at, max_submissions } = document.acceptance;
  return { state, opens_at, closes_at, max_submissions };
}

function uniqueIds({ fields }: FieldSet): Set<number> {
  return new Set(fields.map(uniqueIdOf).filter((id) => id !== undefined));
}

function uniqueChanges(before: FieldSet, after: FieldSet): Pick<Merged, "gained" | "lost"> {
  const [had, has] = [uniqueIds(before), uniqueIds(after)];
  const gained = after.fields.flatMap((field): Gained[] => {
    const { id, key, type } = field;
    const uniqueId = uniqueIdOf(field);
    if (uniqueId === undefined || had.has(uniqueId) || id >= before.next) return [];
    return [{ id, uniqueId, key, type }];
  });
  return { gained, lost: [...had].filter((id) => !has.has(id)) };
}

interface Work {
  next: number;
  errors: FieldError[];
  emptied: Merged["emptied"];
}

type Path = readonly (string | number)[];
type Lists<F> = { fields: F[]; retired: F[] };

/** Matches each field of the document with the one that it continues; what is left over is retired. */
function mergeFields<F extends Field>(
  current: Lists<F>,
  documents: readonly FieldDocument[],
  work: Work,
  path: Path,
  within: number | null,
): Lists<F> {
  const continued = matchFields(current, documents, work, path);
  const discarded = new Set<F>();
  const fields = documents.map((document, index) => {
    const prior = continued.get(document);
    if (prior && isRetyped(prior, document)) {
      // What was computed is not lost: it can be computed again.
      if (prior.type !== "computed") work.emptied.push({ id: prior.id, within, key: document.key });
      discarded.add(prior);
      return fieldOf(document, undefined, work, [...path, index]) as F;
    }
    return fieldOf(document, prior, work, [...path, index]) as F;
  });
  const taken = new Set([...continued.values(), ...discarded]);
  const retired = [...current.fields, ...current.retired].filter((field) => !taken.has(field));
  // What is retired is unique no more, until it comes back.
  return {
    fields,
    retired: retired.map((field) =>
      "uniqueId" in field ? { ...field, uniqueId: undefined } : field,
    ),
  };
}

function isRetyped(prior: Field, document: FieldDocument): boolean {
  if (prior.type !== "computed" || document.type !== "computed")
    return prior.type !== document.type;
  return prior.result !== document.result;
}

/** Renames claim their field first, so that a freed key can be used anew in the same document. */
function matchFields<F extends Field>(
  current: Lists<F>,
  documents: readonly FieldDocument[],
  work: Work,
  path: Path,
): Map<FieldDocument, F> {
  const all = [...current.fields, ...current.retired];
  const claimed = new Set<F>();
  const matches = new Map<FieldDocument, F>();
  const claim = (document: FieldDocument, prior: F | undefined) => {
    if (!prior) return false;
    claimed.add(prior);
    matches.set(document, prior);
    return true;
  };
  documents.forEach((document, index) => {
    const from = document.renamed_from;
    if (from === undefined) return;
    // A document that is sent again has already renamed: its field has the new key and remembers the old one.
    const applied = all.find((f) => f.key === document.key && f.previous_keys.includes(from));
    const prior = applied ?? all.find((f) => f.key === from && !claimed.has(f));
    if (claim(document, prior)) return;
    const reason = `There is no field "${from}" that could be renamed.`;
    work.errors.push(invalid([...path, index, "renamed_from"], reason));
  });
  for (const document of documents) {
    if (document.renamed_from !== undefined) continue;
    claim(
      document,
      all.find((f) => f.key === document.key && !claimed.has(f)),
    );
  }
  return matches;
}

/** The kept form of one field, continuing `prior` where there is one. */
function fieldOf(document: FieldDocument, prior: Field | undefined, work: Work, path: Path): Field {
  const { renamed_from: _, previous_keys: __, label, ...rules } = document;
  const named = {
    id: prior?.id ?? work.next++,
    label: label ?? document.key,
    previous_keys: previousKeys(document, prior),
  };
  if (rules.type === "line_items") {
    const rows = prior?.type === "line_items" ? prior : { fields: [], retired: [] };
    const documents = (document as LineItemsDocument).fields;
    const lists = mergeFields<RowField>(rows, documents, work, [...path, "fields"], named.id);
    return { ...rules, ...named, ...lists };
  }
  if ("options" in rules) {
    const options = rules.options.map(({ value, label: text }) => ({
      value,
      label: text ?? value,
    }));
    return { ...rules, ...named, ...uniqueness(document, prior, work), options };
  }
  if (rules.type === "computed") return { ...rules, ...named, required: false };
  return { ...rules, ...named, ...uniqueness(document, prior, work) };
}

function uniqueness(
  document: FieldDocument,
  prior: Field | undefined,
  work: Work,
): { uniqueId?: number } {
  if (!("unique" in document) || !document.unique) return {};
  return { uniqueId: (prior && uniqueIdOf(prior)) ?? work.next++ };
}

function previousKeys(document: FieldDocument, prior: Field | undefined): string[] {
  if (!prior) return [];
  const keys = [...prior.previous_keys, prior.key].filter((key) => key !== document.key);
  return [...new Set(keys)];
}

/** What a change of a definition does to one field; `path` is its label, behind that of the list that it is in. */
export interface Difference {
  path: string;
  what: "added" | "renamed" | "hidden" | "restored" | "retyped" | "changed";
  /** Renamed fields: the keys of before and after. */
  keys?: [before: string, after: string];
  /** Options that are no more: items that have them keep them. */
  options?: string[];
}

/** The fields that differ between two definitions, in the order of the second. */
export function differences(before: Definition | null, after: Definition): Difference[] {
  const had = before?.fields ?? noFields;
  return listDifferences(had, after.fields, "");
}

type ListsOfDifferences = { fields: readonly Field[]; retired: readonly Field[] };

function listDifferences(had: ListsOfDifferences, has: ListsOfDifferences, within: string): Difference[] {
  const live = new Map(had.fields.map((field) => [field.id, field]));
  const retired = new Set(had.retired.map(({ id }) => id));
  const continued = new Set(has.fields.map(({ id }) => id));
  const keys = new Set(has.fields.map(({ key }) => key));
  const here = has.fields.flatMap((field): Difference[] => {
    const path = within + field.label;
    const old = live.get(field.id);
    if (old) return [...ownDifferences(old, field, path), ...rowDifferences(old, field)];
    if (retired.has(field.id)) return [{ path, what: "restored" }];
    const replaced = had.fields.some(({ key, id }) => key === field.key && !continued.has(id));
    return [{ path, what: replaced ? "retyped" : "added" }];
  });
  const hidden = had.fields
    .filter(({ id, key }) => !continued.has(id) && !keys.has(key))
    .map(({ label }): Difference => ({ path: within + label, what: "hidden" }));
  return [...here, ...hidden];
}

function rowDifferences(old: Field, field: Field): Difference[] {
  if (old.type !== "line_items" || field.type !== "line_items") return [];
  return listDifferences(old, field, `${field.label} › `);
}

function ownDifferences(old: Field, field: Field, path: string): Difference[] {
  const renamed: Difference[] =
    old.key === field.key ? [] : [{ path, what: "renamed", keys: [old.key, field.key] }];
  const options = lostOptions(old, field);
  if (options.length > 0) return [...renamed, { path, what: "changed", options }];
  return said(old) === said(field) ? renamed : [...renamed, { path, what: "changed" }];
}

/** What a field says, apart from its key and its columns. */
function said(field: Field | RowField): string {
  const { key: _, previous_keys: __, fields: ___, ...rules } = fieldDocument(field);
  return JSON.stringify(rules);
}

function lostOptions(old: Field, field: Field): string[] {
  if (!("options" in old) || !("options" in field)) return [];
  const left = new Set(field.options.map(({ value }) => value));
  return old.options.filter(({ value }) => !left.has(value)).map(({ label }) => label);
}
