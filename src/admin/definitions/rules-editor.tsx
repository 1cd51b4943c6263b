import { type DraftField, type Flag, type Rule, flagsOf, rulesOf } from "./draft.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { useFieldErrors } from "#html/form-errors.tsx";
import { Input } from "#html/inputs.tsx";
import type { FieldContext } from "./field-editor.tsx";
import { inputName } from "./draft-documents.ts";

type FieldTexts = Catalogue["fieldEditor"];

const isMoreRule = (rule: Rule, { rules }: FieldTexts): rule is keyof FieldTexts["rules"] =>
  Object.hasOwn(rules, rule);

const textRules: ReadonlySet<Rule> = new Set(["section", "pattern", "accept", "default"]);

const moreFlags: readonly Flag[] = ["integer", "searchable"];

/** Summarizes the rules that are set, for the closed row. */
export function summarizeRules(
  { rules, flags }: DraftField,
  { fieldEditor: text, terms }: Catalogue,
): string {
  const parts = Object.entries(text.setRules).flatMap(([rule, inWords]) => {
    const value = rules[rule as Rule] ?? "";
    return value === "" ? [] : [inWords(value)];
  });
  if (flags.searchable === false) parts.push(text.notSearchable);
  return terms.list(parts).slice(0, 120);
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
  const { fieldEditor: text, terms } = useText();
  const rules = rulesOf(field.type).filter((rule) => isMoreRule(rule, text));
  const isList = field.type === "multi_select" || field.type === "line_items";
  const visibleRules = rules.filter((rule) => {
    if (rule === "section") return !inRow;
    return rule !== "default" || !isList || field.rules.default;
  });
  const hasErrors = ["key", ...visibleRules].map((rule) => useFieldErrors(name(rule)).length > 0);
  return (
    <details class="more" open={hasErrors.includes(true)}>
      <summary>{text.more}</summary>
      <div class="grid">
        <Input
          name={name("key")}
          label={terms.key}
          hint={field.was === "" ? text.newKeyHint : text.keyHint}
          value={field.key}
          placeholder={fieldKey}
          maxlength={63}
          spellcheck={false}
          autocomplete="off"
        />
        {visibleRules.map((rule) => (
          <Input
            name={name(rule)}
            label={text.rules[rule].label}
            hint={text.rules[rule].hint}
            value={field.rules[rule] ?? ""}
            inputmode={textRules.has(rule) ? "text" : "decimal"}
          />
        ))}
      </div>
      {flagsOf(field.type, inRow)
        .filter((flag) => moreFlags.includes(flag))
        .map((flag) => (
          <label class="choice">
            <input type="checkbox" name={name(flag)} checked={field.flags[flag] === true} />
            <span>{text.flags[flag]}</span>
          </label>
        ))}
    </details>
  );
}
