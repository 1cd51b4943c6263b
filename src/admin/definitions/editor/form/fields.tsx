import { fieldKeys } from "../../draft/document";
import type { DraftField } from "../../draft/draft";
import { FieldEditor } from "../field/field-editor";
import { Palette } from "../palette";
import type { EditorShown } from "./editor-shown";
import { Hidden } from "./hidden";

export function Fields({ draft, stored, preview, focus }: EditorShown) {
  const keys = fieldKeys(draft.fields);
  const names = draft.fields.map((field, index) => nameOf(field, keys[index] ?? ""));
  return (
    <>
      {draft.fields.length === 0 ? (
        <p class="empty">There is no field yet. Add the first one:</p>
      ) : (
        <ol class="defs" aria-label="Fields" id="defs">
          {draft.fields.map((field, index) => (
            <FieldEditor
              field={field}
              place={{
                path: [index],
                keys,
                names,
                example: preview?.example ?? {},
                focus: focus?.join("."),
              }}
            />
          ))}
        </ol>
      )}
      <Palette />
      <Hidden draft={draft} stored={stored} />
    </>
  );
}

/** What a formula can name, with the columns that rows have. */
function nameOf({ type, fields }: DraftField, key: string): string {
  return type === "line_items" ? `${key} (with ${fieldKeys(fields).join(", ")})` : key;
}
