import { fieldTypes, typeWords, type DraftField, results, flagsOf, type Flag } from "./draft.ts";
import { Value } from "#admin/items/value.tsx";
import { Select, useField, TextArea } from "#html/inputs.tsx";
import { inputName, fieldKeys } from "./draft-documents.ts";
import { Badge } from "#html/parts.tsx";
import { inputId, useWrongExactly } from "#html/form-errors.tsx";
import { MoreRules } from "./rules-editor.tsx";

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

const acts: [act: string, path: string, name: string][] = [
  ["up", "M8 13V3M4 7l4-4 4 4", "Move up"],
  ["down", "M8 3v10M4 9l4 4 4-4", "Move down"],
  ["copy", "M6 6h7v7H6zM3 10V3h7", "Duplicate"],
  ["remove", "M4 4l8 8M12 4l-8 8", "Remove"],
];

export function Buttons({ at, label }: { at: string; label: string }) {
  return (
    <span class="acts">
      {acts.map(([act, path, name]) => (
        <button
          type="submit"
          class="quiet little"
          name="do"
          value={`${act}:${at}`}
          formnovalidate
          aria-label={`${name}: ${label}`}
          title={name}
        >
          <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
            <path d={path} />
          </svg>
        </button>
      ))}
    </span>
  );
}

export interface Place {
  /** Where it stands: its place, or that of its list and its own. */
  path: readonly number[];
  /** The keys that it and its neighbours have, or are given. */
  keys: readonly string[];
  /** What formulas can name here. */
  names: readonly string[];
  /** Results of formulas on the example, by key. */
  example: Record<string, unknown>;
  /** The path whose label is to have the focus. */
  focus: string | undefined;
}

export function Result({
  field,
  own,
  example,
}: {
  field: DraftField;
  own: string;
  example: Record<string, unknown>;
}) {
  const result = results.find((each) => each === field.rules.result) ?? "number";
  const decimals = Number(field.rules.decimals || Number.NaN);
  const shown = {
    id: 0,
    key: own,
    label: "",
    required: false,
    searchable: false,
    previous_keys: [],
    type: "computed" as const,
    formula: "",
    result,
    ...(Number.isInteger(decimals) && decimals >= 0 && decimals <= 15 ? { decimals } : {}),
  };
  return <Value field={shown} value={example[own]} />;
}

/** A formula with the names that it can use, and what it gives on an example. */
export function FormulaInputs({
  field,
  place,
  own,
}: {
  field: DraftField;
  place: Place;
  own: string;
}) {
  const name = inputName(place.path, "formula");
  const { wired, wrong } = useField({ name, hint: "names" });
  const names = place.names.filter((each) => each !== own);
  const inRow = place.path.length > 1;
  return (
    <div class="formula">
      <div class="field wide">
        <label for={wired.id}>Formula</label>
        <span class="hint" id={`${wired.id}-hint`}>
          {names.length > 0 ? (
            <>
              Names:{" "}
              {names
                .slice(0, mostNames)
                .map((each, index) => [index > 0 ? ", " : "", <code>{each}</code>])}
            </>
          ) : (
            "Over the keys of the other fields"
          )}
          , as in <code>{inRow ? "qty * price" : "sum(lines.map(l, l.amount))"}</code>
        </span>
        <input
          {...wired}
          value={field.rules.formula ?? ""}
          maxlength={2000}
          spellcheck={false}
          autocomplete="off"
          class="mono"
          data-names={names.join(" ")}
        />
        <span class="error" id={`${wired.id}-wrong`} data-live="">
          {wrong.join(" ")}
        </span>
        {inRow || wrong.length > 0 || !field.rules.formula ? null : (
          <output class="muted" id={`${wired.id}-result`} data-live="">
            On an example: <Result field={field} own={own} example={place.example} />
          </output>
        )}
      </div>
      <Select
        name={inputName(place.path, "result")}
        label="Result"
        options={results.map((value) => ({ value, label: typeWords[value] }))}
        value={field.rules.result ?? "number"}
      />
    </div>
  );
}

const mostNames = 40;

const shownFlags: [Flag, string][] = [
  ["required", "Required"],
  ["unique", "No value twice"],
];

/** One field, edited in its place. */
export function FieldEditor({ field, place }: { field: DraftField; place: Place }) {
  const { path, focus } = place;
  const at = path.join(".");
  const name = (what: string) => inputName(path, what);
  const own = place.keys[path.at(-1) ?? 0] ?? "";
  const label = field.label || typeWords[field.type];
  const flags = flagsOf(field.type, path.length > 1);
  return (
    <li class="def" data-path={at}>
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
          placeholder={typeWords[field.type]}
          maxlength={200}
          aria-label={`Label of ${label}`}
          autofocus={focus === at}
        />
        <Badge>{typeWords[field.type]}</Badge>
        {shownFlags
          .filter(([flag]) => flags.includes(flag))
          .map(([flag, text]) => (
            <label class="choice">
              <input type="checkbox" name={name(flag)} checked={field.flags[flag] === true} />
              <span>{text}</span>
            </label>
          ))}
        <Buttons at={at} label={label} />
      </div>
      <FieldErrors name={inputName(path, "").slice(0, -1)} />
      {field.rules.options !== undefined ? (
        <TextArea
          name={name("options")}
          label="Options"
          hint="One a line. Another stored value goes behind a bar: Apple | a"
          value={`\n${field.rules.options}`}
          rows={3}
        />
      ) : null}
      {field.type === "computed" ? <FormulaInputs {...{ field, place, own }} /> : null}
      {field.type === "line_items" ? <Columns field={field} place={place} /> : null}
      <MoreRules field={field} place={place} own={own} />
    </li>
  );
}

function FieldErrors({ name }: { name: string }) {
  const wrong = [
    ...useWrongExactly(name),
    ...useWrongExactly(`${name}.renamed_from`),
    ...useWrongExactly(`${name}.fields`),
  ];
  return wrong.length === 0 ? null : <p class="error">{wrong.join(" ")}</p>;
}

/** The columns of line items, edited in the same way. */
function Columns({ field, place }: { field: DraftField; place: Place }) {
  const [at = 0] = place.path;
  const own = fieldKeys(field.fields);
  return (
    <div class="columns-of">
      <ol class="defs" aria-label={`Columns of ${field.label || typeWords.line_items}`}>
        {field.fields.map((column, index) => (
          <FieldEditor
            field={column}
            place={{ ...place, path: [at, index], keys: own, names: own }}
          />
        ))}
      </ol>
      <Palette list={at} of={field.label || typeWords.line_items} />
    </div>
  );
}
