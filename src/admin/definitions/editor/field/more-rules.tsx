import { Input } from "../../../../html/form/input";
import type { DraftField } from "../../draft/draft";
import type { Place } from "./place";
import { inputName } from "../../draft/sent-draft";
import { flagsOf, rulesOf } from "../../draft/rules";
import { ruleWords, flagWords, summaryOf } from "./rule-words";

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
