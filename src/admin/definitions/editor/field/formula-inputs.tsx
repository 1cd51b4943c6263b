import { Select } from "../../../../html/form/select";
import { useField } from "../../../../html/form/use-field";
import type { DraftField } from "../../draft/draft";
import type { Place } from "./place";
import { inputName } from "../../draft/sent-draft";
import { results, typeWords } from "../../draft/types";
import { Result } from "./result";

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
