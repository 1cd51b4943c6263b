import { useText } from "#admin/language/index.tsx";
import { Value } from "#admin/items/value.tsx";
import { Input, Select, useField } from "#html/inputs.tsx";
import { inputName } from "./draft-documents.ts";
import { resultTypes, type DraftField } from "./draft.ts";
import type { FieldContext } from "./field-editor.tsx";
import { defaultDecimals } from "./formula-decimals.ts";
import { exampleFormula } from "./formula-help.ts";

function FormulaResult({
  field,
  fieldKey,
  example,
  decimalsText,
}: {
  field: DraftField;
  fieldKey: string;
  example: Record<string, unknown>;
  decimalsText: string;
}) {
  const result = resultTypes.find((type) => type === field.rules.result) ?? "number";
  const decimals = Number(decimalsText || Number.NaN);
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

/** The inputs of a formula, the names that it can use, and its result for an example. */
export function FormulaInputs({
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
  const example = (
    <code>{exampleFormula(context.siblings.filter((sibling) => sibling !== field))}</code>
  );
  const { fieldEditor, terms } = useText();
  const text = fieldEditor.formula;
  const usualDecimals = defaultDecimals(field, context.siblings);
  const describeResult = inRow ? text.resultForRow : text.resultFor;
  return (
    <div class="formula">
      <div class="field wide">
        <label for={inputProps.id}>{text.label}</label>
        <span class="hint" id={`${inputProps.id}-hint`}>
          {names.length > 0
            ? text.hint(
                names.map((key, index) => [
                  index > 0 ? ", " : "",
                  <code data-insert={/^\w+/.exec(key)?.[0] ?? ""}>{key}</code>,
                ]),
                example,
              )
            : text.hintWithoutNames(example)}
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
        {!context.example || errors.length > 0 || !field.rules.formula ? null : (
          <output class="muted" id={`${inputProps.id}-result`} data-live="">
            {context.exampleName === null
              ? text.exampleResult
              : describeResult(context.exampleName)}
            <FormulaResult
              field={field}
              fieldKey={fieldKey}
              example={context.example}
              decimalsText={field.rules.decimals || usualDecimals}
            />
          </output>
        )}
      </div>
      <Select
        name={inputName(context.path, "result")}
        label={text.result}
        options={resultTypes.map((value) => ({ value, label: terms.fieldTypes[value] }))}
        value={field.rules.result ?? "number"}
      />
      <Input
        name={inputName(context.path, "decimals")}
        label={fieldEditor.rules.decimals.label}
        value={field.rules.decimals ?? ""}
        placeholder={usualDecimals}
        inputmode="numeric"
        autocomplete="off"
      />
    </div>
  );
}

const maxNames = 40;
/** In longer lists, the hints contain no field names, so that a page with many formulas stays small. */
const maxListWithNames = 200;

const hintedNames = (names: readonly string[], ownKey: string) =>
  names.length > maxListWithNames ? [] : names.filter((name) => name !== ownKey).slice(0, maxNames);
