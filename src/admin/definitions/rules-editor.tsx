import { type DraftField, type Flag, type Rule, flagsOf, rulesOf } from "./draft.ts";
import { Input } from "#html/inputs.tsx";
import type { Place } from "./field-editor.tsx";
import { inputName } from "./draft-documents.ts";

export const ruleWords: Partial<Record<Rule, [label: string, hint?: string]>> = {
  min_length: ["At least … characters"],
  max_length: ["At most … characters"],
  pattern: ["Pattern", "A regular expression that the text must match"],
  minimum: ["At least"],
  maximum: ["At most"],
  decimals: ["Decimals"],
  min_rows: ["At least … rows"],
  max_rows: ["At most … rows"],
  default: ["Default", "Stored where nothing is written"],
};

export const flagWords: Partial<Record<Flag, string>> = {
  integer: "Whole numbers only",
  searchable: "Can be searched and sorted",
};

/** The rules that are set, in a few words. */
export function summaryOf({ rules, flags }: DraftField): string {
  const said = Object.entries(ruleWords)
    .filter(([rule]) => (rules[rule as Rule] ?? "") !== "")
    .map(([rule, words]) => {
      const value = rules[rule as Rule] ?? "";
      const label = words[0];
      return label.includes("…") ? label.replace("…", value) : `${label} ${value}`;
    });
  if (flags.searchable === false) said.push("Not searchable");
  return said.join(", ").slice(0, 120);
}

/** The rules that are rarely needed, folded away. */
export function MoreRules({ field, place, own }: { field: DraftField; place: Place; own: string }) {
  const name = (what: string) => inputName(place.path, what);
  const inRow = place.path.length > 1;
  const rules = rulesOf(field.type).filter((rule) => ruleWords[rule] !== undefined);
  const lists = field.type === "multi_select" || field.type === "line_items";
  const shown = rules.filter((rule) => rule !== "default" || !lists || field.rules.default);
  return (
    <details class="more" open={field.open}>
      <summary>
        More <code data-key="">{own}</code>
        {summaryOf(field)}
      </summary>
      <div class="grid">
        <Input
          name={name("key")}
          label="Key"
          hint={
            field.was === ""
              ? "What programs call it; made from the label until you write one"
              : "Another key renames the field; what is stored stays with it"
          }
          value={field.key}
          placeholder={own}
          maxlength={63}
          spellcheck={false}
          autocomplete="off"
        />
        {shown.map((rule) => {
          const [label = "", hint] = ruleWords[rule] ?? [];
          return (
            <Input
              name={name(rule)}
              label={label}
              hint={hint}
              value={field.rules[rule] ?? ""}
              inputmode={rule === "pattern" || rule === "default" ? "text" : "decimal"}
            />
          );
        })}
      </div>
      {flagsOf(field.type, inRow)
        .filter((flag) => flagWords[flag] !== undefined)
        .map((flag) => (
          <label class="choice">
            <input type="checkbox" name={name(flag)} checked={field.flags[flag] === true} />
            <span>{flagWords[flag]}</span>
          </label>
        ))}
    </details>
  );
}
