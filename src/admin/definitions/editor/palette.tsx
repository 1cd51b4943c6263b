import { fieldTypes, typeWords } from "../draft/types";

/** A button for each type of field; with `list`, for the columns of line items. */
export function Palette({ list, of }: { list?: number; of?: string }) {
  const types =
    list === undefined ? fieldTypes : fieldTypes.filter((type) => type !== "line_items");
  const name = list === undefined ? "Add a field" : `Add a column to ${of ?? ""}`;
  return (
    <div class="palette" role="group" aria-label={name}>
      <span class="muted">{list === undefined ? "Add a field" : "Add a column"}</span>
      {types.map((type) => (
        <button
          type="submit"
          class="quiet little"
          name="do"
          value={list === undefined ? `add:${type}` : `add:${type}:${list}`}
          formnovalidate
        >
          {typeWords[type]}
        </button>
      ))}
    </div>
  );
}
