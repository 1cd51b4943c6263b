import type { Definition, Retention, View } from "./collection.ts";
import { fieldDocument } from "./document.ts";
import { type Field, titleField } from "./field.ts";

/** A property that differs between two definitions. A value is null if its definition lacks the property. */
export interface PropertyDiff {
  /** The label of the field, with its list, or the name of the view. Empty for a setting. */
  path: string;
  property: string;
  before: unknown;
  after: unknown;
}

const settings = ["name", "description", "time_zone", "receipt_prefix", "history_days"] as const;
const acceptanceSettings = ["state", "opens_at", "closes_at", "max_submissions"] as const;

/** Compares two definitions property by property. The order of fields counts as a property. */
export function compareDefinitions(before: Definition, after: Definition): PropertyDiff[] {
  const pairs: [property: string, before: unknown, after: unknown][] = [
    ...settings.map((name) => [name, before[name], after[name]] as [string, unknown, unknown]),
    ...acceptanceSettings.map(
      (name) =>
        [name, before.acceptance[name], after.acceptance[name]] as [string, unknown, unknown],
    ),
    ["retain", retentionRule(before.retain), retentionRule(after.retain)],
    ["title_field", titleField(before.fields)?.key, titleField(after.fields)?.key],
  ];
  return [
    ...pairs.flatMap(([property, from, to]) => diffProperty("", property, from, to)),
    ...compareFields(before.fields.fields, after.fields.fields, ""),
    ...compareViews(before.views ?? [], after.views ?? []),
  ];
}

const retentionRule = (retain: Retention | null | undefined) =>
  retain ? { days: retain.days, only: retain.only } : null;

function compareViews(before: readonly View[], after: readonly View[]): PropertyDiff[] {
  const keys = new Set([...before, ...after].map(({ key }) => key));
  return [...keys].flatMap((key) => {
    const [from, to] = [before, after].map((views) => views.find((view) => view.key === key));
    const path = (to ?? from)?.name ?? key;
    if (!from || !to) return diffProperty(path, "view", from?.key, to?.key);
    return viewProperties.flatMap((name) => diffProperty(path, name, from[name], to[name]));
  });
}

const viewProperties = ["name", "conditions", "sort", "fields"] as const;

function compareFields(
  before: readonly Field[],
  after: readonly Field[],
  prefix: string,
): PropertyDiff[] {
  const former = new Map(before.map((field) => [field.id, field]));
  const ids = new Set(after.map(({ id }) => id));
  const changed = after.flatMap((field) => {
    const previous = former.get(field.id);
    const path = prefix + field.label;
    if (!previous) return [{ path, property: "type", before: null, after: field.type }];
    return compareField(previous, field, path);
  });
  const removed = before
    .filter(({ id }) => !ids.has(id))
    .map(({ label, type }) => {
      return { path: prefix + label, property: "type", before: type, after: null };
    });
  const keptFields = (fields: readonly Field[]) =>
    fields.filter(({ id }) => former.has(id) && ids.has(id));
  const [orderBefore, orderAfter] = [keptFields(before), keptFields(after)].map((fields) =>
    fields.map(({ id }) => id).join(),
  );
  const labels = (fields: readonly Field[]) => keptFields(fields).map(({ label }) => label);
  const order =
    orderBefore === orderAfter
      ? []
      : [{ path: prefix, property: "order", before: labels(before), after: labels(after) }];
  return [...changed, ...removed, ...order];
}

function compareField(before: Field, after: Field, path: string): PropertyDiff[] {
  const [old, current] = [before, after].map((field): Record<string, unknown> => {
    const { fields: _columns, previous_keys: _keys, ...properties } = fieldDocument(field);
    return properties;
  });
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})]);
  const diffs = [...names].flatMap((name) =>
    diffProperty(path, name, old?.[name], current?.[name]),
  );
  if (before.type !== "line_items" || after.type !== "line_items") return diffs;
  return [...diffs, ...compareFields(before.fields, after.fields, `${path} › `)];
}

function diffProperty(
  path: string,
  property: string,
  before: unknown = null,
  after: unknown = null,
): PropertyDiff[] {
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path, property, before, after }];
}
