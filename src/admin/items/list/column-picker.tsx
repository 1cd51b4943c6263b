import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { useText } from "#admin/language/index.tsx";
import { pickerId, propertyColumns, type PropertyColumn } from "./columns.ts";
import type { ToolProps } from "./list-tools.tsx";
import { searchOf } from "./tabs.ts";

/** The visible fields of a list, and the other columns that are hidden. */
export interface ShownColumns {
  columns: readonly Field[];
  hidden: ReadonlySet<PropertyColumn>;
}

const moves = [
  ["up", "↑"],
  ["down", "↓"],
] as const;

/** Lets the member choose the visible columns and their order. The service stores them for the member and the list. */
export function ColumnPicker({
  base,
  query,
  collection,
  columns,
  hidden,
}: ToolProps & ShownColumns & { collection: Collection }) {
  const { itemList, terms } = useText();
  const text = itemList.tools;
  const { fields } = collection.definition.fields;
  if (fields.length === 0) return null;
  const others = fields.filter((field) => !columns.includes(field));
  const names = { $status: terms.properties.status, $updated_at: terms.properties.updatedAt };
  return (
    <details class="drop">
      <summary class="button quiet">{text.columns}</summary>
      <form method="post" action={`${base}/columns`} class="card">
        <input type="hidden" name="search" value={searchOf({ ...query, columns: undefined })} />
        <fieldset id={pickerId}>
          <legend>{text.columns}</legend>
          {[...columns, ...others].map(({ key, label }) => (
            <div class="column" data-movable="">
              <label class="choice">
                <input
                  type="checkbox"
                  name="columns"
                  value={key}
                  checked={columns.some((column) => column.key === key)}
                />
                <span>{label}</span>
              </label>
              {moves.map(([direction, sign]) => (
                <button
                  type="submit"
                  class="quiet little"
                  name="move"
                  value={`${direction}:${key}`}
                  data-move={direction}
                  aria-label={text.moveColumn[direction](label)}
                >
                  {sign}
                </button>
              ))}
            </div>
          ))}
          {propertyColumns(collection.kind).map((property) => (
            <label class="choice">
              <input type="hidden" name="offered" value={property} />
              <input
                type="checkbox"
                name="columns"
                value={property}
                checked={!hidden.has(property)}
              />
              <span>{names[property]}</span>
            </label>
          ))}
        </fieldset>
        <button type="submit">{text.saveColumns}</button>
      </form>
    </details>
  );
}
