import type { Preview } from "#actions/preview-definition.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { type FieldSet, noFields } from "#domain/definition/field.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { Frame } from "#admin/layout.tsx";
import { type Draft, typeWords, type DraftField } from "./draft.ts";
import { Input } from "#html/inputs.tsx";
import { words } from "./layout.tsx";
import { fieldKeys } from "./draft-documents.ts";
import { FieldEditor, Palette } from "./field-editor.tsx";
import { WithWrong } from "#html/form-errors.tsx";
import { Inputs } from "#admin/items/form/inputs.tsx";
import { Outcome } from "./outcome.tsx";

export interface EditorShown {
  frame: Frame;
  kind: CollectionKind;
  draft: Draft;
  /** What is stored; nothing for a new one. */
  stored: FieldSet | null;
  /** Absent where something is wrong. */
  preview: Preview | undefined;
  /** What is wrong, told beside the inputs. */
  wrong: Problem | undefined;
  focus?: readonly number[] | undefined;
  action: string;
}

export function Naming({ kind, draft }: { kind: CollectionKind; draft: Draft }) {
  const { one } = words[kind];
  return (
    <div class="grid">
      <Input
        name="name"
        label="Name"
        value={draft.name}
        maxlength={200}
        autofocus={draft.fields.length === 0}
        autocomplete="off"
      />
      <Input
        name="key"
        label="Key"
        hint={`In addresses of the API; made from the name. It stays with the ${one}.`}
        value={draft.key}
        maxlength={63}
        spellcheck={false}
        autocomplete="off"
      />
    </div>
  );
}

/** Fields that were taken away, now or before: each can be brought back. */
export function Hidden({ draft, stored }: Pick<EditorShown, "draft" | "stored">) {
  const used = new Set(draft.fields.flatMap(({ was, key }) => [was, key]));
  const { fields, retired } = stored ?? noFields;
  const hidden = [...fields, ...retired].filter(({ key }) => !used.has(key));
  if (hidden.length === 0) return null;
  return (
    <section aria-labelledby="hidden-fields">
      <h2 id="hidden-fields">Hidden fields</h2>
      <p class="muted">What is stored in them is kept.</p>
      <ul class="chips">
        {hidden.slice(0, mostHidden).map(({ key, label, type }) => (
          <li>
            {label} <small>{typeWords[type]}</small>
            <button
              type="submit"
              class="quiet little"
              name="do"
              value={`restore:${key}`}
              formnovalidate
              aria-label={`Bring back ${label}`}
            >
              Bring back
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const mostHidden = 100;

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

export function PreviewInputs({ preview, frame }: EditorShown) {
  if (!preview) return <p class="muted">It shows once nothing is wrong.</p>;
  const { fields } = preview.definition.fields;
  if (fields.length === 0) return <p class="muted">There is nothing to fill in yet.</p>;
  return (
    <WithWrong problem={undefined}>
      <fieldset disabled class="preview">
        <legend class="unseen">What people fill in</legend>
        <Inputs fields={fields} data={{}} zone={frame.reader.zone} />
      </fieldset>
    </WithWrong>
  );
}

/** All fields of a definition, edited on one page, with what saving does and a preview. */
export function Editor(shown: EditorShown) {
  const { kind, draft, stored, preview, wrong, action } = shown;
  const known = (stored ?? noFields).fields.map(({ key }) => key).join(" ");
  const hides = preview?.differences.some(({ what }) => what === "hidden") ?? false;
  const isMarked = ((wrong?.members["errors"] ?? []) as unknown[]).length > 0;
  return (
    <WithWrong problem={wrong}>
      <form method="post" action={`${action}?draft`} class="editor" data-editor="">
        {/* Enter in an input presses the first button. */}
        <button type="submit" name="do" value="check" class="unseen" tabindex={-1} formnovalidate>
          Look at what will happen
        </button>
        <input type="hidden" name="version" value={String(draft.version)} />
        <input type="hidden" name="known" value={known} />
        <div class="beside">
          <div>
            {stored === null ? <Naming kind={kind} draft={draft} /> : null}
            <Fields {...shown} />
          </div>
          <aside aria-label="Before saving">
            <Outcome preview={preview} items={words[kind].items} isMarked={isMarked} />
            <div id="sure" data-live="">
              {hides ? (
                <label class="choice">
                  <input type="checkbox" id="f-sure" name="sure" />
                  <span>Hide what is taken away</span>
                </label>
              ) : null}
            </div>
            <p class="actions">
              <button type="submit" name="do" value="save" formaction={action}>
                {stored === null ? `Make the ${words[kind].one}` : "Save changes"}
              </button>
              <button
                type="submit"
                name="do"
                value="check"
                class="quiet"
                formnovalidate
                data-check=""
              >
                Check first
              </button>
            </p>
            <section class="card" id="preview" data-live="">
              <h2>Preview</h2>
              <PreviewInputs {...shown} />
            </section>
          </aside>
        </div>
      </form>
    </WithWrong>
  );
}
