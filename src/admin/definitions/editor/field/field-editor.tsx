import { Badge } from "../../../../html/parts/badge";
import { TextArea } from "../../../../html/form/text-area";
import { inputId, useWrongExactly } from "../../../../html/form/wrong";
import { fieldKeys } from "../../draft/document";
import type { DraftField } from "../../draft/draft";
import { FormulaInputs } from "./formula-inputs";
import { Palette } from "../palette";
import { MoreRules } from "./more-rules";
import { inputName } from "../../draft/sent-draft";
import { flagsOf, type Flag } from "../../draft/rules";
import { typeWords } from "../../draft/types";
import type { Place } from "./place";
import { Buttons } from "./buttons";

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
