import { type Field, type Option, valueType } from "../../../../domain/definition/field";

/** Something that items are filtered by: a field, a column of rows, or what every item has. */
export interface Filterable {
  path: string;
  label: string;
  type: Exclude<ReturnType<typeof valueType>, "line_items">;
  options: readonly Option[];
}

/** What can be filtered by, by label. */
export function filterables(fields: readonly Field[], kind: "app" | "form"): Filterable[] {
  const own = fields.filter(({ searchable }) => searchable).flatMap(filterableOf);
  const status: Filterable = {
    path: "$status",
    label: "Status",
    type: "select",
    options: statuses,
  };
  const times = [
    ["$created_at", "Created"],
    ["$updated_at", "Changed"],
  ].map(([path = "", label = ""]): Filterable => ({ path, label, type: "datetime", options: [] }));
  return [...own, ...(kind === "form" ? [status] : []), ...times];
}

const statuses = [
  { value: "draft", label: "Draft" },
  { value: "submitted", label: "Submitted" },
  { value: "closed", label: "Closed" },
];

function filterableOf(field: Field): Filterable[] {
  const type = valueType(field);
  const options = "options" in field ? field.options : [];
  if (type !== "line_items") return [{ path: field.key, label: field.label, type, options }];
  if (field.type !== "line_items") return [];
  return field.fields
    .filter(({ searchable }) => searchable)
    .flatMap(filterableOf)
    .map((column) => ({
      ...column,
      path: `${field.key}.${column.path}`,
      label: `${field.label} › ${column.label}`,
    }));
}
