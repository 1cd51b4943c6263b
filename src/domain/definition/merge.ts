import type { FieldError } from "#domain/problem/problem.ts";
import {
  alwaysOpen,
  defaultHistoryDays,
  replaceRetention,
  type CollectionKind,
  type Definition,
  type RetypedField,
  type NewUniqueField,
  type PendingRules,
} from "./collection.ts";
import { type DefinitionDocument, type FieldDocument, type LineItemsDocument } from "./document.ts";
import { withFormerOptions, limitFormerOptions, createRenameCheck } from "./merge-rules.ts";
import { mergeViews } from "#domain/search/merge-views.ts";
import {
  definitionError,
  noFields,
  uniqueIdOf,
  type Field,
  type FieldSet,
  type RowField,
} from "./field.ts";
import { mergeTitle } from "./title.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** A definition with a document applied, and the consequences for the stored data. */
export interface MergedDefinition {
  definition: Definition;
  errors: FieldError[];
  /** Fields with a new type. */
  typeChanged: RetypedField[];
  /** Existing fields that become unique. New fields have no values that could conflict. */
  uniqueAdded: NewUniqueField[];
  /** Ids of the values that no longer have to be unique. */
  uniqueRemoved: number[];
}

/**
 * Applies a document to the current definition (null when the collection is new). What the document omits stays as it is
 * in the pending definition, if a change is pending.
 */
export function mergeDefinition(
  kind: CollectionKind,
  key: string,
  current: Definition | null,
  document: DefinitionDocument,
  pending: Definition | null = null,
): MergedDefinition {
  const before = current?.fields ?? noFields;
  const kept = pending ?? current;
  const state: MergeState = { nextId: before.next, errors: [], typeChanged: [] };
  const { fields, retired } = mergeFields(before, document.fields, state, ["fields"], null);
  const { member, errors } = mergeTitle(kept?.fields ?? noFields, fields, document.title_field);
  const after = limitFormerOptions({ fields, retired, next: state.nextId, ...member });
  const { views, errors: viewErrors } = mergeViews(kept, after, document.views);
  const location = mergeLocation(current, document);
  return {
    definition: {
      name: document.name ?? kept?.name ?? key,
      description: document.description ?? kept?.description ?? "",
      time_zone: document.time_zone ?? kept?.time_zone ?? "UTC",
      receipt_prefix: kind === "app" ? (document.receipt_prefix ?? kept?.receipt_prefix ?? "") : "",
      acceptance: mergeAcceptance(kept, document),
      history_days: document.history_days ?? kept?.history_days ?? defaultHistoryDays,
      views,
      retain: replaceRetention(kept?.retain, document.retain),
      ...location.member,
      fields: after,
    },
    errors: [...state.errors, ...errors, ...viewErrors, ...location.errors],
    typeChanged: state.typeChanged,
    ...uniqueChanges(before, after),
  };
}

/** Returns the location. An existing collection keeps its location, because only an operator moves data. */
function mergeLocation(current: Definition | null, { location }: DefinitionDocument) {
  const keptLocation = current ? current.location : location;
  const member = keptLocation === undefined ? {} : { location: keptLocation };
  if (location === keptLocation || location === undefined) return { member, errors: [] };
  const reason =
    keptLocation === undefined
      ? reasonFor("noLocationIsFixed")
      : reasonFor("locationIsFixed", { location: keptLocation });
  return { member, errors: [definitionError(["location"], reason)] };
}

function mergeAcceptance(kept: Definition | null, document: DefinitionDocument) {
  if (!document.acceptance) return kept?.acceptance ?? alwaysOpen;
  const { state, opens_at, closes_at, max_submissions } = document.acceptance;
  return { state, opens_at, closes_at, max_submissions };
}

const uniqueIds = ({ fields }: FieldSet) =>
  new Set(fields.map(uniqueIdOf).filter((id) => id !== undefined));

/** The rules in the shape that `pending_change` stores. */
export const pendingRules = ({ typeChanged, uniqueAdded }: MergedDefinition): PendingRules => ({
  emptied: typeChanged,
  gained: uniqueAdded,
});

function uniqueChanges(
  before: FieldSet,
  after: FieldSet,
): Pick<MergedDefinition, "uniqueAdded" | "uniqueRemoved"> {
  const [previousIds, currentIds] = [uniqueIds(before), uniqueIds(after)];
  const uniqueAdded = after.fields.flatMap((field): NewUniqueField[] => {
    const { id, key, type } = field;
    const uniqueId = uniqueIdOf(field);
    if (uniqueId === undefined || previousIds.has(uniqueId) || id >= before.next) return [];
    return [{ id, uniqueId, key, type }];
  });
  return { uniqueAdded, uniqueRemoved: [...previousIds].filter((id) => !currentIds.has(id)) };
}

interface MergeState {
  nextId: number;
  errors: FieldError[];
  typeChanged: MergedDefinition["typeChanged"];
}

type Path = readonly (string | number)[];
type FieldLists<F> = { fields: F[]; retired: F[] };

/** Matches each field of the document with the field that it continues. Unmatched fields are retired. */
function mergeFields<F extends Field>(
  current: FieldLists<F>,
  documents: readonly FieldDocument[],
  state: MergeState,
  path: Path,
  lineItemsId: number | null,
): FieldLists<F> {
  const matches = matchFields(current, documents, state, path);
  const retypedFields = new Set<F>();
  const fields = documents.map((document, index) => {
    const priorField = matches.get(document);
    if (priorField && isRetyped(priorField, document)) {
      // Computed values can be computed again, so they do not prevent the change.
      if (priorField.type !== "computed")
        state.typeChanged.push({ id: priorField.id, within: lineItemsId, key: document.key });
      retypedFields.add(priorField);
      return buildField(document, undefined, state, [...path, index]) as F;
    }
    return buildField(document, priorField, state, [...path, index]) as F;
  });
  const matched = new Set([...matches.values(), ...retypedFields]);
  const retired = [...current.fields, ...current.retired].filter((field) => !matched.has(field));
  // A retired field stops being unique until it is restored.
  return {
    fields,
    retired: retired.map((field) =>
      "uniqueId" in field ? { ...field, uniqueId: undefined } : field,
    ),
  };
}

/** Returns the detail on which the values of a type depend: the result type of a formula, or the app of a reference. */
const typeDetail = (field: Field | FieldDocument): string =>
  field.type === "computed" ? field.result : field.type === "reference" ? field.app : "";

const isRetyped = (priorField: Field, document: FieldDocument): boolean =>
  priorField.type !== document.type || typeDetail(priorField) !== typeDetail(document);

/** Renames claim their fields first, so that the same document can reuse a freed key. */
function matchFields<F extends Field>(
  current: FieldLists<F>,
  documents: readonly FieldDocument[],
  state: MergeState,
  path: Path,
): Map<FieldDocument, F> {
  const candidates = [...current.fields, ...current.retired];
  const claimedFields = new Set<F>();
  const matches = new Map<FieldDocument, F>();
  const claim = (document: FieldDocument, priorField: F | undefined) => {
    if (!priorField) return false;
    claimedFields.add(priorField);
    matches.set(document, priorField);
    return true;
  };
  const findRenameError = createRenameCheck(current.fields, documents);
  documents.forEach((document, index) => {
    const oldKey = document.renamed_from;
    if (oldKey === undefined) return;
    // When a client repeats a document, the field already has the new key and lists the old one.
    const renamedField = candidates.find(
      (field) => field.key === document.key && field.previous_keys.includes(oldKey),
    );
    const renameError = renamedField ? undefined : findRenameError(document.key, oldKey);
    const priorField =
      renamedField ?? candidates.find((field) => field.key === oldKey && !claimedFields.has(field));
    if (renameError === undefined && claim(document, priorField)) return;
    const reason = renameError ?? reasonFor("noFieldToRename", { key: oldKey });
    state.errors.push(definitionError([...path, index, "renamed_from"], reason));
  });
  for (const document of documents) {
    if (document.renamed_from !== undefined) continue;
    claim(
      document,
      candidates.find((field) => field.key === document.key && !claimedFields.has(field)),
    );
  }
  return matches;
}

/** Builds the stored form of a field. A field that continues `priorField` has the same id. */
function buildField(
  document: FieldDocument,
  priorField: Field | undefined,
  state: MergeState,
  path: Path,
): Field {
  const { renamed_from: _renamedFrom, previous_keys: _previousKeys, label, ...rules } = document;
  const base = {
    id: priorField?.id ?? state.nextId++,
    label: label ?? document.key,
    previous_keys: previousKeys(document, priorField),
  };
  if (rules.type === "line_items") {
    const columns = priorField?.type === "line_items" ? priorField : { fields: [], retired: [] };
    const documents = (document as LineItemsDocument).fields;
    const lists = mergeFields<RowField>(columns, documents, state, [...path, "fields"], base.id);
    return { ...rules, ...base, ...lists };
  }
  if ("options" in rules) {
    const options = rules.options.map(({ value, label: text }) => ({
      value,
      label: text ?? value,
    }));
    const lists = withFormerOptions(priorField, options);
    return { ...rules, ...base, ...assignUniqueId(document, priorField, state), ...lists };
  }
  if (rules.type === "computed") return { ...rules, ...base, required: false };
  return { ...rules, ...base, ...assignUniqueId(document, priorField, state) };
}

function assignUniqueId(
  document: FieldDocument,
  priorField: Field | undefined,
  state: MergeState,
): { uniqueId?: number } {
  if (!("unique" in document) || !document.unique) return {};
  return { uniqueId: (priorField && uniqueIdOf(priorField)) ?? state.nextId++ };
}

function previousKeys(document: FieldDocument, priorField: Field | undefined): string[] {
  if (!priorField) return [];
  const keys = [...priorField.previous_keys, priorField.key].filter((key) => key !== document.key);
  return [...new Set(keys)];
}
