import type { NewView } from "#actions/collection-access.ts";
import { nameConditions } from "#admin/describe-view.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { Collection, View } from "#domain/definition/collection.ts";
import { meOperand } from "#domain/search/tree.ts";
import { makeKey } from "./draft.ts";
import { transliterate } from "./transliterate.ts";

const maxNameLength = 190;

/**
 * Returns an unused name and key for a view. Uses the entered name, or describes the conditions and fields of the view.
 */
export function nameViewOfPart(
  view: NewView,
  { definition, kind }: Collection,
  entered: string,
  text: Catalogue,
): Pick<View, "key" | "name"> {
  const views = definition.views ?? [];
  const chosenName = entered.trim();
  const base = (chosenName || suggestName(view, { definition, kind }, text)).slice(
    0,
    maxNameLength,
  );
  const keyBase = chosenName || nameItems(view, { definition, kind }, text);
  const names = new Set(views.map(({ name }) => name));
  let name = base;
  for (let number = 2; names.has(name); number += 1) name = `${base} ${number}`;
  const keys = new Set(views.map(({ key }) => key));
  return { name, key: makeKey(transliterate(keyBase), "view", keys) };
}

const maxNamedFields = 3;

type PartOfView = Omit<NewView, "fields"> & { fields?: string[] | undefined };
type Shape = Pick<Collection, "definition" | "kind">;

/** Suggests a name like “Room is Blue, without Email”. */
export function suggestName(view: PartOfView, { definition, kind }: Shape, text: Catalogue) {
  const { names } = text.definitionAccess.give;
  const { fields, source } = view;
  const items = nameItems(view, { definition, kind }, text);
  const all = definition.fields.fields;
  // A new view has the same items as its source only if its fields differ.
  if (!fields || fields.length === all.length) return source ? names.allFields(items) : items;
  const labels = (isShown: boolean) =>
    all.filter(({ key }) => fields.includes(key) === isShown).map(({ label }) => label);
  const [shown, hidden] = [labels(true), labels(false)];
  if (hidden.length <= maxNamedFields) return names.without(items, text.terms.list(hidden));
  return shown.length <= maxNamedFields
    ? names.only(items, text.terms.list(shown))
    : names.someFields(items, shown.length);
}

/** Describes the items of a view: by the name of its source view, or by its conditions. */
function nameItems({ conditions, source }: PartOfView, shape: Shape, text: Catalogue): string {
  const { names } = text.definitionAccess.give;
  if (source) return source.name;
  if (conditions.length === 0) return names.all(text.terms.collections[shape.kind].items);
  return JSON.stringify(conditions).includes(JSON.stringify(meOperand))
    ? names.own
    : nameConditions(conditions, text, shape.definition.fields.fields);
}
