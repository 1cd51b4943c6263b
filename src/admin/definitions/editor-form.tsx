import type { Preview } from "#actions/preview-definition.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { type FieldSet, noFields } from "#domain/definition/field.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { AppName } from "#store/data/edited-collection.ts";
import { zoneOptions } from "#admin/time-zones.ts";
import type { PageContext } from "#admin/layout.tsx";
import { fieldKeys, needsChosenKey, rulesOf, type Draft, type DraftField } from "./draft.ts";
import { EnterButton } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { nameLocation } from "#admin/databases/locations.ts";

import { FieldEditor, Palette, useOpenPath } from "./field-editor.tsx";
import type { EditFocus } from "./edit-draft.ts";
import { FormErrors } from "#html/form-errors.tsx";
import { ItemInputs } from "#admin/items/form/inputs.tsx";
import { type BrokenView, hasFieldErrors } from "./view-help.ts";
import { type AffectedUsers, type Listeners, type MissingParts, SaveOutcome } from "./outcome.tsx";
import { explainErrors } from "#admin/explain-problem.ts";

export interface EditorProps {
  frame: PageContext;
  kind: CollectionKind;
  draft: Draft;
  /** The locations that a new definition may have. Empty if there is no choice. */
  locations: readonly string[];
  /** The apps that references can point to. */
  apps: readonly AppName[];
  /** The stored fields. Null for a new definition. */
  stored: FieldSet | null;
  /** Undefined if the draft has errors. */
  preview: Preview | undefined;
  /** The preview without the fields that have errors. */
  finished: Preview | undefined;
  /**
   * The name of the item that gives the results of formulas their values, which is the newest one. Null if there is
   * none.
   */
  exampleName: string | null;
  /** Undefined if the change recalculates no items. */
  listeners?: Listeners | undefined;
  viewUsers?: AffectedUsers | undefined;
  /** The problem whose errors the inputs show. */
  wrong: Problem | undefined;
  /** The views that use fields that the draft removes. */
  brokenViews: readonly BrokenView[];
  focus?: EditFocus | undefined;
  /** Whether the draft comes from a form that a member submitted. */
  isUnsaved: boolean;
  action: string;
}

function NameInputs({
  draft,
  frame,
  locations,
}: Pick<EditorProps, "draft" | "frame" | "locations">) {
  const { databases, definitions, definitionEditor: text, terms } = useText();
  return (
    <div class="grid">
      <Input
        name="name"
        label={terms.name}
        value={draft.name}
        maxlength={200}
        autofocus={draft.fields.length === 0}
        autocomplete="off"
      />
      <Input
        name="key"
        label={terms.key}
        hint={
          draft.key === "" && needsChosenKey(draft.name) ? text.askKey(draft.name) : text.keyHint
        }
        value={draft.key}
        maxlength={63}
        spellcheck={false}
        autocomplete="off"
      />
      <Select
        name="time_zone"
        label={definitions.timeZone}
        hint={definitions.timeZoneHint}
        value={draft.timeZone || frame.viewer.zone}
        options={zoneOptions(draft.timeZone || frame.viewer.zone)}
      />
      {locations.length > 0 ? (
        <Select
          name="location"
          label={text.location}
          hint={text.locationHint}
          value={draft.location}
          options={[
            { value: "", label: text.anywhere },
            ...locations.map((value) => ({
              value,
              label: nameLocation(databases.locations, value),
            })),
          ]}
        />
      ) : null}
    </div>
  );
}

/** Lists the fields that the draft removes and the ones that earlier versions hid, with buttons to restore them. */
function HiddenFields({ draft, stored }: Pick<EditorProps, "draft" | "stored">) {
  const usedKeys = new Set(draft.fields.flatMap(({ was, key }) => [was, key]));
  const { fields, retired } = stored ?? noFields;
  const hiddenFields = [...fields, ...retired].filter(({ key }) => !usedKeys.has(key));
  const { definitionEditor: text, terms } = useText();
  if (hiddenFields.length === 0) return null;
  return (
    <section aria-labelledby="hidden-fields">
      <h2 id="hidden-fields">{text.hiddenFields}</h2>
      <p class="muted">{text.dataKept}</p>
      <ul class="chips">
        {hiddenFields.slice(0, maxHiddenFields).map(({ key, label, type }) => (
          <li>
            {label} <small>{terms.fieldTypes[type]}</small>
            <button
              type="submit"
              class="quiet little"
              name="do"
              value={`restore:${key}`}
              formnovalidate
              aria-label={text.restoreField(label)}
            >
              {text.restore}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const maxHiddenFields = 100;

/** Returns whether fields of the draft still lack options or a formula. */
function findMissingParts(fields: readonly DraftField[]): MissingParts {
  const all = fields.flatMap((field) => [field, ...field.fields]);
  const lacks = (rule: "options" | "formula") =>
    all.some(
      ({ type, rules }) => rulesOf(type).includes(rule) && (rules[rule] ?? "").trim() === "",
    );
  return { options: lacks("options"), formulas: lacks("formula") };
}

function FieldList({ draft, stored, finished, exampleName, focus, apps }: EditorProps) {
  const keys = fieldKeys(draft.fields);
  const text = useText().definitionEditor;
  const names = draft.fields.map((field, index) => formulaName(field, keys[index] ?? "", text));
  const openPath = useOpenPath(draft.fields, focus);
  return (
    <>
      {draft.fields.length === 0 ? (
        <p class="empty">{text.firstField}</p>
      ) : (
        <ol class="defs" aria-label={text.page.fields} id="defs" data-names={names.join(" ")}>
          {draft.fields.map((field, index) => (
            <FieldEditor
              field={field}
              context={{
                path: [index],
                keys,
                names,
                apps,
                siblings: draft.fields,
                example: finished?.example ?? {},
                exampleName,
                focus,
                openPath,
              }}
            />
          ))}
        </ol>
      )}
      <Palette />
      <HiddenFields draft={draft} stored={stored} />
    </>
  );
}

/** Returns the name of a field in formulas, with the columns of line items. */
function formulaName(
  { type, fields }: DraftField,
  key: string,
  text: Catalogue["definitionEditor"],
): string {
  return type === "line_items" ? text.withColumns(key, fieldKeys(fields)) : key;
}

function PreviewInputs({ finished, frame }: EditorProps) {
  const text = useText().definitionEditor.preview;
  if (!finished) return <p class="muted">{text.unavailable}</p>;
  const { fields } = finished.definition.fields;
  if (fields.length === 0) return <p class="muted">{text.empty}</p>;
  return (
    <FormErrors problem={undefined}>
      <fieldset disabled class="preview">
        <legend class="unseen">{text.legend}</legend>
        <ItemInputs fields={fields} data={{}} zone={frame.viewer.zone} />
      </fieldset>
    </FormErrors>
  );
}

/** Edits all fields of a definition on one page, with a preview and the effects of saving. */
export function Editor(props: EditorProps) {
  const { kind, draft, stored, preview, wrong: problem, action } = props;
  const texts = useText();
  const { definitions, definitionEditor: text, terms } = texts;
  const storedKeys = (stored ?? noFields).fields.map(({ key }) => key).join(" ");
  const hidesFields = preview?.differences.some(({ what }) => what === "hidden") ?? false;
  return (
    <FormErrors problem={problem && explainErrors(problem, texts)}>
      <form
        method="post"
        action={`${action}?draft`}
        class="editor"
        data-editor=""
        data-warn={props.isUnsaved ? "unsaved" : ""}
      >
        <EnterButton name="do" value="check" formnovalidate>
          {text.review}
        </EnterButton>
        <input type="hidden" name="version" value={String(draft.version)} />
        <input type="hidden" name="known" value={storedKeys} />
        {draft.copyOf ? <input type="hidden" name="copy_of" value={draft.copyOf} /> : null}
        <div class="beside">
          <div>
            {stored === null ? <NameInputs {...props} /> : null}
            <FieldList {...props} />
          </div>
          <aside aria-label={text.beforeSaving}>
            <SaveOutcome
              preview={preview}
              listeners={props.listeners}
              viewUsers={props.viewUsers}
              kind={kind}
              hasFieldErrors={hasFieldErrors(problem)}
              brokenViews={props.brokenViews}
              missing={findMissingParts(props.draft.fields)}
              listPath={`${action.replace(/\/fields$/, "")}/items`}
            />
            <div id="sure" data-live="">
              {hidesFields ? (
                <label class="choice">
                  <input type="checkbox" id="f-sure" name="sure" />
                  <span>{text.hide}</span>
                </label>
              ) : null}
            </div>
            <p class="actions save">
              <button type="submit" name="do" value="save" formaction={action}>
                {stored === null
                  ? definitions.create(terms.collections[kind].one)
                  : terms.saveChanges}
              </button>
              <button
                type="submit"
                name="do"
                value="check"
                class="quiet"
                formnovalidate
                data-check=""
              >
                {text.review}
              </button>
            </p>
            <section class="card" id="preview" data-live="">
              <h2>{text.preview.title}</h2>
              <PreviewInputs {...props} />
            </section>
          </aside>
        </div>
      </form>
    </FormErrors>
  );
}
