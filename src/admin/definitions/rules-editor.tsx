import { type DraftField, type Flag, type Rule, flagsOf, rulesOf } from "./draft.ts";
import { Input } from "#html/inputs.tsx";
import type { FieldContext } from "./field-editor.tsx";
import { inputName } from "./draft-documents.ts";

const ruleLabels: Partial<Record<Rule, [label: string, hint?: string]>> = {
  section: ["Section heading", "Starts a section of the form with this heading."],
  min_length: ["At least … characters"],
  max_length: ["At most … characters"],
  pattern: ["Pattern", "A regular expression that the text must match."],
  minimum: ["At least"],
  maximum: ["At most"],
  decimals: ["Decimals"],
  min_rows: ["At least … rows"],
  max_rows: ["At most … rows"],
  default: ["Default", "Used when left blank."],
};

const textRules: ReadonlySet<Rule> = new Set(["section", "pattern", "default"]);

const flagLabels: Partial<Record<Flag, string>> = {
  integer: "Whole numbers only",
  searchable: "Searchable and sortable",
};

/** Summarizes the rules that are set, for the closed row. */
export function summarizeRules({ rules, flags }: DraftField): string {
  const parts = Object.entries(ruleLabels)
    .filter(([rule]) => rule !== "section" && (rules[rule as Rule] ?? "") !== "")
    .map(([rule, [label]]) => {
      const value = rules[rule as Rule] ?? "";
      return label.includes("…") ? label.replace("…", value) : `${label} ${value}`;
    });
  if (flags.searchable === false) parts.push("Not searchable");
  return parts.join(", ").slice(0, 120);
}

/** Less common rules in a collapsible section. */
export function MoreRules({
  field,
  context,
  fieldKey,
}: {
  field: DraftField;
  context: FieldContext;
  fieldKey: string;
}) {
  const name = (what: string) => inputName(context.path, what);
  const inRow = context.path.length > 1;
  const rules = rulesOf(field.type).filter((rule) => ruleLabels[rule] !== undefined);
  const isList = field.type === "multi_select" || field.type === "line_items";
  const visibleRules = rules.filter((rule) => {
    if (rule === "section") return !inRow;
    return rule !== "default" || !isList || field.rules.default;
  });
  return (
    <details class="more">
      <summary>More</summary>
      <div class="grid">
        <Input
          name={name("key")}
          label="Key"
          hint={
            field.was === ""
              ? "Used in the API. Leave blank to derive it from the label."
              : "Changing the key renames the field. Its data stays."
          }
          value={field.key}
          placeholder={fieldKey}
          maxlength={63}
          spellcheck={false}
          autocomplete="off"
        />
        {visibleRules.map((rule) => {
          const [label = "", hint] = ruleLabels[rule] ?? [];
          return (
            <Input
              name={name(rule)}
              label={label}
              hint={hint}
              value={field.rules[rule] ?? ""}
              inputmode={textRules.has(rule) ? "text" : "decimal"}
            />
          );
        })}
      </div>
      {flagsOf(field.type, inRow)
        .filter((flag) => flagLabels[flag] !== undefined)
        .map((flag) => (
          <label class="choice">
            <input type="checkbox" name={name(flag)} checked={field.flags[flag] === true} />
            <span>{flagLabels[flag]}</span>
          </label>
        ))}
    </details>
  );
}
