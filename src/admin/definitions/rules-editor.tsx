import {
  type DraftField,
  type Flag,
  type Rule,
  flagsOf,
  hasUnknownLetters,
  rulesOf,
} from "./draft.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { useFieldErrors } from "#html/form-errors.tsx";
import { Input } from "#html/inputs.tsx";
import type { FieldContext } from "./field-editor.tsx";
import type { AppName } from "#store/data/edited-collection.ts";
import { inputName } from "./draft-documents.ts";

type FieldTexts = Catalogue["fieldEditor"];

const isMoreRule = (rule: Rule, { rules }: FieldTexts): rule is keyof FieldTexts["rules"] =>
  Object.hasOwn(rules, rule);

const textRules: ReadonlySet<Rule> = new Set(["section", "pattern", "accept", "default"]);

/** Rules that are displayed next to each other. */
const pairs: readonly (readonly Rule[])[] = [
  ["min_length", "max_length"],
  ["minimum", "maximum"],
  ["min_rows", "max_rows"],
  ["max_files", "max_bytes"],
];

/** Groups the rules: both limits of a range, or a single rule. */
function groupRules<R extends Rule>(rules: readonly R[]): R[][] {
  const pairOf = (rule: R) => pairs.find((pair) => pair.includes(rule));
  const groups = rules.map((rule) =>
    rules.filter((other) => other === rule || (pairOf(rule)?.includes(other) ?? false)),
  );
  return groups.filter(([first], index) => first === rules[index]);
}

/** Summarizes the rules that are set. The closed row shows the summary. */
export function summarizeRules(
  { rules, flags }: DraftField,
  apps: readonly AppName[],
  { fieldEditor: text }: Catalogue,
): string {
  const parts = Object.entries(text.setRules).flatMap(([rule, inWords]) => {
    const value = (rules[rule as Rule] ?? "").trim();
    const name = rule === "app" ? apps.find(({ key }) => key === value)?.name : undefined;
    return value === "" ? [] : [inWords(name ?? value)];
  });
  if (flags.integer === true) parts.push(text.flags.integer);
  if (flags.searchable === false) parts.push(text.notSearchable);
  return parts.join(" · ");
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
    // A formula shows its decimals next to the type of its result.
    if (rule === "decimals") return field.type !== "computed";
    return rule !== "default" || !isList || field.rules.default;
  });
  const flags = flagsOf(field.type, inRow);
  const integerBox = flags.includes("integer") ? (
    <FlagBox name={name("integer")} flag="integer" field={field} />
  ) : null;
  const hasErrors = ["key", ...visibleRules].map((rule) => useFieldErrors(name(rule)).length > 0);
  const asksForKey = field.was === "" && field.key === "" && hasUnknownLetters(field.label);
  const newKeyHint = asksForKey ? text.askKey(field.label, fieldKey) : text.newKeyHint;
  return (
    <details
      class="more"
      open={hasErrors.includes(true) || asksForKey}
      data-asks-key={asksForKey ? "" : undefined}
    >
      <summary>{text.more}</summary>
      <div class="grid">
        <Input
          name={name("key")}
          label={terms.key}
          hint={field.was === "" ? newKeyHint : text.keyHint}
          value={field.key}
          placeholder={fieldKey}
          maxlength={63}
          spellcheck={false}
          autocomplete="off"
        />
        {groupRules(visibleRules).map((group) => {
          const inputs = group.map((rule) => <RuleInput name={name(rule)} {...{ rule, field }} />);
          const flag = group.includes("decimals") ? integerBox : null;
          return group.length > 1 || flag ? (
            <div class="limits">
              {inputs}
              {flag}
            </div>
          ) : (
            inputs
          );
        })}
      </div>
      {flags.includes("searchable") ? (
        <FlagBox name={name("searchable")} flag="searchable" field={field} />
      ) : null}
    </details>
  );
}

function RuleInput({
  name,
  rule,
  field,
}: {
  name: string;
  rule: keyof FieldTexts["rules"];
  field: DraftField;
}) {
  const { rules } = useText().fieldEditor;
  return (
    <Input
      name={name}
      label={rules[rule].label}
      hint={rules[rule].hint}
      value={field.rules[rule] ?? ""}
      inputmode={textRules.has(rule) ? "text" : "decimal"}
    />
  );
}

function FlagBox({ name, flag, field }: { name: string; flag: Flag; field: DraftField }) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} checked={field.flags[flag] === true} />
      <span>{useText().fieldEditor.flags[flag]}</span>
    </label>
  );
}
