import { Badge } from "../../../html/parts/badge";
import { TextArea } from "../../../html/form/text-area";
import { inputId, useWrongExactly } from "../../../html/form/wrong";
import { keysOf } from "../draft/document";
import type { DraftField } from "../draft/draft";
import { FormulaInputs } from "./formula-inputs";
import { Palette } from "./palette";
import { MoreRules } from "./rule-inputs";
import { inputName } from "../draft/sent-draft";
import { flagsOf, typeWords, type Flag } from "../draft/types";

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

const acts: [act: string, path: string, name: string][] = [
  ["up", "M8 13V3M4 7l4-4 4 4", "Move up"],
  ["down", "M8 3v10M4 9l4 4 4-4", "Move down"],
  ["copy", "M6 6h7v7H6zM3 10V3h7", "Duplicate"],
  ["remove", "M4 4l8 8M12 4l-8 8", "Remove"],
];

function Buttons({ at, label }: { at: string; label: string }) {
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

/** The columns of line items, edited in the same way. */
function Columns({ field, place }: { field: DraftField; place: Place }) {
  const [at = 0] = place.path;
  const own = keysOf(field.fields);
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
