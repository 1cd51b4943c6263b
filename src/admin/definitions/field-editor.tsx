import {
  fieldTypes,
  fieldTypeNames,
  type DraftField,
  resultTypes,
  flagsOf,
  type Flag,
} from "./draft.ts";
import { Value } from "#admin/items/value.tsx";
import { Input, Select, useField, TextArea } from "#html/inputs.tsx";
import { inputName, fieldKeys } from "./draft-documents.ts";
import { Badge } from "#html/parts.tsx";
import { inputId, useExactFieldErrors } from "#html/form-errors.tsx";
import { exampleFormula } from "./formula-help.ts";
import { MoreRules } from "./rules-editor.tsx";

/** A button for each field type. With `list`, the buttons add columns to that list. */
export function Palette({ list, listLabel }: { list?: number; listLabel?: string }) {
  const types =
    list === undefined ? fieldTypes : fieldTypes.filter((type) => type !== "line_items");
  const name = list === undefined ? "Add field" : `Add column to ${listLabel ?? ""}`;
  return (
    <div class="palette" role="group" aria-label={name}>
      <span class="muted">{list === undefined ? "Add field" : "Add column"}</span>
      {types.map((type) => (
        <button
          type="submit"
          class="quiet little"
          name="do"
          value={list === undefined ? `add:${type}` : `add:${type}:${list}`}
          formnovalidate
        >
          {fieldTypeNames[type]}
        </button>
      ))}
    </div>
  );
}

const fieldActions: [action: string, iconPath: string, name: string][] = [
  ["up", "M8 13V3M4 7l4-4 4 4", "Move up"],
  ["down", "M8 3v10M4 9l4 4 4-4", "Move down"],
  ["copy", "M6 6h7v7H6zM3 10V3h7", "Duplicate"],
  ["remove", "M4 4l8 8M12 4l-8 8", "Remove"],
];

function FieldButtons({ path, label }: { path: string; label: string }) {
  return (
    <span class="acts">
      {fieldActions.map(([action, iconPath, name]) => (
        <button
          type="submit"
          class="quiet little"
          name="do"
          value={`${action}:${path}`}
          formnovalidate
          aria-label={`${name}: ${label}`}
          title={name}
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
  /** The names that formulas can use here. */
  names: readonly string[];
  /** The field and its siblings. */
  siblings: readonly DraftField[];
  /** The values of an example item, by key. */
  example: Record<string, unknown>;
  /** The name of that item; null for a made-up one. */
  exampleName: string | null;
  /** The path of the field whose label gets the focus. */
  focus: string | undefined;
}

function FormulaResult({
  field,
  fieldKey,
  example,
}: {
  field: DraftField;
  fieldKey: string;
  example: Record<string, unknown>;
}) {
  const result = resultTypes.find((type) => type === field.rules.result) ?? "number";
  const decimals = Number(field.rules.decimals || Number.NaN);
  const exampleField = {
    id: 0,
    key: fieldKey,
    label: "",
    required: false,
    searchable: false,
    previous_keys: [],
    type: "computed" as const,
    formula: "",
    result,
    ...(Number.isInteger(decimals) && decimals >= 0 && decimals <= 15 ? { decimals } : {}),
  };
  return <Value field={exampleField} value={example[fieldKey]} />;
}

/** The inputs of a formula, with the names that it can use and its result for an example. */
function FormulaInputs({
  field,
  context,
  fieldKey,
}: {
  field: DraftField;
  context: FieldContext;
  fieldKey: string;
}) {
  const name = inputName(context.path, "formula");
  const { inputProps, wrong: errors } = useField({ name, hint: "names" });
  const names = hintedNames(context.names, fieldKey);
  const inRow = context.path.length > 1;
  const others = context.siblings.filter((sibling) => sibling !== field);
  return (
    <div class="formula">
      <div class="field wide">
        <label for={inputProps.id}>Formula</label>
        <span class="hint" id={`${inputProps.id}-hint`}>
          {names.length > 0 ? (
            <>
              Fields:{" "}
              {names.map((key, index) => [
                index > 0 ? ", " : "",
                <code data-insert={/^\w+/.exec(key)?.[0] ?? ""}>{key}</code>,
              ])}
            </>
          ) : (
            "Use the keys of the other fields"
          )}
          . Example: <code>{exampleFormula(others)}</code>
        </span>
        <input
          {...inputProps}
          value={field.rules.formula ?? ""}
          maxlength={2000}
          spellcheck={false}
          autocomplete="off"
          class="mono"
          data-formula=""
        />
        <span class="error" id={`${inputProps.id}-wrong`} data-live="">
          {errors.join(" ")}
        </span>
        {inRow || errors.length > 0 || !field.rules.formula ? null : (
          <output class="muted" id={`${inputProps.id}-result`} data-live="">
            {context.exampleName === null
              ? "Result for an example: "
              : `Result for ${context.exampleName}: `}
            <FormulaResult field={field} fieldKey={fieldKey} example={context.example} />
          </output>
        )}
      </div>
      <Select
        name={inputName(context.path, "result")}
        label="Result"
        options={resultTypes.map((value) => ({ value, label: fieldTypeNames[value] }))}
        value={field.rules.result ?? "number"}
      />
    </div>
  );
}

const maxNames = 40;
/** In longer lists the hints name no fields, so that a page of formulas stays small. */
const maxListWithNames = 200;

const hintedNames = (names: readonly string[], ownKey: string) =>
  names.length > maxListWithNames ? [] : names.filter((name) => name !== ownKey).slice(0, maxNames);

const mainFlags: [Flag, string][] = [
  ["required", "Required"],
  ["unique", "Unique"],
];

/** The editor of one field. */
export function FieldEditor({ field, context }: { field: DraftField; context: FieldContext }) {
  const { path, focus } = context;
  const fieldPath = path.join(".");
  const name = (what: string) => inputName(path, what);
  const fieldKey = context.keys[path.at(-1) ?? 0] ?? "";
  const label = field.label || fieldTypeNames[field.type];
  const flags = flagsOf(field.type, path.length > 1);
  return (
    <li class="def" data-path={fieldPath}>
      <input type="hidden" name={name("type")} value={field.type} />
      <input type="hidden" name={name("was")} value={field.was} />
      <input type="hidden" name={name("seen")} value={field.seen} />
      <div class="def-head">
        <span class="grip" aria-hidden="true">
          ⠿
        </span>
        <input
          class="label"
          id={inputId(name("label"))}
          name={name("label")}
          value={field.label}
          placeholder={fieldTypeNames[field.type]}
          maxlength={200}
          aria-label={`Label of ${label}`}
          autofocus={focus === fieldPath}
        />
        <Badge>{fieldTypeNames[field.type]}</Badge>
        {mainFlags
          .filter(([flag]) => flags.includes(flag))
          .map(([flag, text]) => (
            <label class="choice">
              <input type="checkbox" name={name(flag)} checked={field.flags[flag] === true} />
              <span>{text}</span>
            </label>
          ))}
        <FieldButtons path={fieldPath} label={label} />
      </div>
      <FieldErrors name={inputName(path, "").slice(0, -1)} />
      {field.rules.options !== undefined ? (
        <TextArea
          name={name("options")}
          label="Options"
          hint="One option per line. To store a different value: Label | value"
          value={`\n${field.rules.options}`}
          rows={3}
        />
      ) : null}
      {field.type === "reference" ? (
        <Input
          name={name("app")}
          label="App"
          hint="The key of the app whose records it names"
          value={field.rules.app ?? ""}
          maxlength={63}
          spellcheck={false}
          autocomplete="off"
        />
      ) : null}
      {field.type === "computed" ? <FormulaInputs {...{ field, context, fieldKey }} /> : null}
      {field.type === "line_items" ? <ColumnEditors field={field} context={context} /> : null}
      <MoreRules field={field} context={context} fieldKey={fieldKey} />
    </li>
  );
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
  return (
    <div class="columns-of">
      <ol
        class="defs"
        id={`defs-${listIndex}`}
        aria-label={`Columns of ${field.label || fieldTypeNames.line_items}`}
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
            }}
          />
        ))}
      </ol>
      <Palette list={listIndex} listLabel={field.label || fieldTypeNames.line_items} />
    </div>
  );
}
