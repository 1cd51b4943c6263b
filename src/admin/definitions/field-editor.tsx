import { fieldKeys, fieldTypes, type DraftField, flagsOf, type Flag } from "./draft.ts";
import type { EditFocus } from "./edit-draft.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { Input, TextArea } from "#html/inputs.tsx";
import { inputName } from "./draft-documents.ts";
import { Badge } from "#html/parts.tsx";
import { inputId, useExactFieldErrors, useFieldErrors } from "#html/form-errors.tsx";
import { AppSelect } from "./app-select.tsx";
import { FormulaInputs } from "./formula-inputs.tsx";
import { MoreRules, summarizeRules } from "./rules-editor.tsx";
import { maxHelpLength } from "#domain/definition/document.ts";
import { isObject } from "#domain/json.ts";
import type { AppName } from "#store/data/edited-collection.ts";

/** A button for each field type. With `list`, the buttons add columns to that list. */
export function Palette({ list, listLabel }: { list?: number; listLabel?: string }) {
  const types =
    list === undefined ? fieldTypes : fieldTypes.filter((type) => type !== "line_items");
  const { fieldEditor: text, terms } = useText();
  const name = list === undefined ? text.addField : text.addColumnTo(listLabel ?? "");
  return (
    <div class="palette" role="group" aria-label={name}>
      <span class="muted">{list === undefined ? text.addField : text.addColumn}</span>
      {types.map((type) => (
        <button
          type="submit"
          class="quiet little"
          name="do"
          value={list === undefined ? `add:${type}` : `add:${type}:${list}`}
          formnovalidate
        >
          {terms.fieldTypes[type]}
        </button>
      ))}
    </div>
  );
}

const fieldActions: [action: keyof Catalogue["fieldEditor"]["actions"], iconPath: string][] = [
  ["up", "M8 13V3M4 7l4-4 4 4"],
  ["down", "M8 3v10M4 9l4 4 4-4"],
  ["copy", "M6 6h7v7H6zM3 10V3h7"],
  ["remove", "M4 4l8 8M12 4l-8 8"],
];

function FieldButtons({
  path,
  label,
  focused,
}: {
  path: string;
  label: string;
  /** The action of the button that gets the focus. */
  focused: string | undefined;
}) {
  const text = useText().fieldEditor;
  return (
    <span class="acts">
      {fieldActions.map(([action, iconPath]) => (
        <button
          type="submit"
          class="quiet little"
          name="do"
          value={`${action}:${path}`}
          formnovalidate
          aria-label={text.actionOn(text.actions[action], label)}
          title={text.actions[action]}
          autofocus={focused === action}
        >
          <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
            <path d={iconPath} />
          </svg>
        </button>
      ))}
    </span>
  );
}

export interface FieldContext {
  /** The index of the field, or the indexes of its list and its column. */
  path: readonly number[];
  /** The keys of the field and its siblings, entered or derived from their labels. */
  keys: readonly string[];
  /** The names that formulas can use at this place. */
  names: readonly string[];
  /** The apps that references can point to. */
  apps: readonly AppName[];
  /** The field and its siblings. */
  siblings: readonly DraftField[];
  /** The values of an example item, or of its first row, by key. Undefined if it has no rows. */
  example: Record<string, unknown> | undefined;
  /** The name of the example item. Null for generated example data. */
  exampleName: string | null;
  focus: EditFocus | undefined;
  /** The path of the open row. Scripts can open several rows. */
  openPath: string | undefined;
}

const mainFlags: readonly Flag[] = ["required", "unique"];

/** Returns the path of the row to open: the row whose label gets the focus, or else the first row with an error. */
export function useOpenPath(
  fields: readonly DraftField[],
  focus: EditFocus | undefined,
): string | undefined {
  const hasErrors = fields.map((_, index) => useFieldErrors(`fields[${index}]`).length > 0);
  if (focus?.part === "label") return focus.path.join(".");
  const first = hasErrors.indexOf(true);
  return focus || first === -1 || fields.some(({ open }) => open) ? undefined : String(first);
}

/** The closed row of a field. */
function RowSummary({ field, context, fieldKey }: FieldProps & { fieldKey: string }) {
  const { path, focus } = context;
  const texts = useText();
  const { fieldEditor: text, terms } = texts;
  const typeName = terms.fieldTypes[field.type];
  const errorCount = useFieldErrors(inputName(path, "").slice(0, -1)).length;
  return (
    <summary autofocus={focus?.part === "row" && focus.path.join(".") === path.join(".")}>
      <strong>{field.label || typeName}</strong> <Badge>{typeName}</Badge>{" "}
      {mainFlags
        .filter((flag) => field.flags[flag] === true)
        .map((flag) => (
          <>
            <Badge tone="accent">{text.flags[flag]}</Badge>{" "}
          </>
        ))}
      {errorCount > 0 ? (
        <>
          <Badge tone="bad">{text.errors(errorCount)}</Badge>{" "}
        </>
      ) : null}
      <code data-key="">{fieldKey}</code>{" "}
      <small>{summarizeRules(field, context.apps, texts)}</small>
    </summary>
  );
}

interface FieldProps {
  field: DraftField;
  context: FieldContext;
}

/** The editor of one field, in a row that opens. In a list, one row is open at a time. */
export function FieldEditor({ field, context }: FieldProps) {
  const { path, focus, openPath } = context;
  const fieldPath = path.join(".");
  const name = (what: string) => inputName(path, what);
  const fieldKey = context.keys[path.at(-1) ?? 0] ?? "";
  const label = field.label || useText().terms.fieldTypes[field.type];
  const isFocused = focus?.path.join(".") === fieldPath;
  const listPath = path.slice(0, -1).map((index) => `${index}.`);
  // If several rows of a list are open, a browser closes all except the first.
  const isOpen =
    openPath?.startsWith(listPath.join("")) && openPath !== listPath[0]?.slice(0, -1)
      ? `${openPath}.`.startsWith(`${fieldPath}.`)
      : field.open;
  return (
    <li class="def" data-path={fieldPath}>
      <input type="hidden" name={name("type")} value={field.type} />
      <input type="hidden" name={name("was")} value={field.was} />
      <input type="hidden" name={name("seen")} value={field.seen} />
      <span class="grip" aria-hidden="true">
        ⠿
      </span>
      <details
        class="row"
        name={path.length === 1 ? "fields" : `columns-${path[0] ?? 0}`}
        open={isOpen}
      >
        <RowSummary {...{ field, context, fieldKey }} />
        <LabelInputs {...{ field, context, label }} />
        <FieldErrors name={inputName(path, "").slice(0, -1)} />
        <TypeInputs {...{ field, context, fieldKey }} />
        <MoreRules field={field} context={context} fieldKey={fieldKey} />
      </details>
      <FieldButtons path={fieldPath} label={label} focused={isFocused ? focus?.part : undefined} />
    </li>
  );
}

function LabelInputs({ field, context, label }: FieldProps & { label: string }) {
  const { path, focus } = context;
  const name = (what: string) => inputName(path, what);
  const { fieldEditor: text, terms } = useText();
  const flags = flagsOf(field.type, path.length > 1);
  const id = inputId(name("label"));
  return (
    <>
      <div class="def-head">
        <div class="field">
          <label for={id}>{text.label}</label>
          <input
            class="label"
            id={id}
            name={name("label")}
            value={field.label}
            placeholder={terms.fieldTypes[field.type]}
            maxlength={200}
            aria-label={text.labelOf(label)}
            autofocus={focus?.part === "label" && focus.path.join(".") === path.join(".")}
          />
        </div>
        {mainFlags
          .filter((flag) => flags.includes(flag))
          .map((flag) => (
            <label class="choice">
              <input type="checkbox" name={name(flag)} checked={field.flags[flag] === true} />
              <span>{text.flags[flag]}</span>
            </label>
          ))}
      </div>
      <Input
        name={name("help")}
        label={text.help}
        value={field.rules.help ?? ""}
        maxlength={maxHelpLength}
        autocomplete="off"
        wide
      />
    </>
  );
}

/** The inputs that only some field types have. */
function TypeInputs({ field, context, fieldKey }: FieldProps & { fieldKey: string }) {
  const name = (what: string) => inputName(context.path, what);
  const text = useText().fieldEditor;
  if (field.rules.options !== undefined)
    return (
      <TextArea
        name={name("options")}
        label={text.options}
        hint={text.optionsHint}
        value={`\n${field.rules.options}`}
        rows={3}
        data-options=""
        wide
      />
    );
  if (field.type === "reference")
    return <AppSelect name={name("app")} value={field.rules.app ?? ""} apps={context.apps} />;
  if (field.type === "computed") return <FormulaInputs {...{ field, context, fieldKey }} />;
  return field.type === "line_items" ? <ColumnEditors field={field} context={context} /> : null;
}

function FieldErrors({ name }: { name: string }) {
  const errors = [
    ...useExactFieldErrors(name),
    ...useExactFieldErrors(`${name}.renamed_from`),
    ...useExactFieldErrors(`${name}.fields`),
  ];
  return errors.length === 0 ? null : <p class="error">{errors.join(" ")}</p>;
}

/** The editors of the columns of line items. */
function ColumnEditors({ field, context }: { field: DraftField; context: FieldContext }) {
  const [listIndex = 0] = context.path;
  const columnKeys = fieldKeys(field.fields);
  const { fieldEditor: text, terms } = useText();
  const label = field.label || terms.fieldTypes.line_items;
  return (
    <div class="columns-of">
      <ol
        class="defs"
        id={`defs-${listIndex}`}
        aria-label={text.columnsOf(label)}
        data-names={columnKeys.join(" ")}
      >
        {field.fields.map((column, index) => (
          <FieldEditor
            field={column}
            context={{
              ...context,
              path: [listIndex, index],
              keys: columnKeys,
              names: columnKeys,
              siblings: field.fields,
              example: firstRow(context.example?.[context.keys[listIndex] ?? ""]),
            }}
          />
        ))}
      </ol>
      <Palette list={listIndex} listLabel={label} />
    </div>
  );
}

const firstRow = (rows: unknown): Record<string, unknown> | undefined =>
  Array.isArray(rows) && isObject(rows[0]) ? rows[0] : undefined;
