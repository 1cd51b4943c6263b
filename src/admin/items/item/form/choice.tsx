import type { Field } from "../../../../domain/definition/field";
import { Value } from "../../value/value";
import { Values } from "../values";

export function Choice({
  field,
  name,
  title,
  value,
}: {
  field: Field;
  name: "mine" | "theirs";
  title: string;
  value: unknown;
}) {
  return (
    <label class="choice">
      <input type="radio" name={`$keep.${field.key}`} value={name} required />
      <span>
        <small>{title}</small>
        {field.type === "line_items" ? (
          <Values fields={[{ ...field, label: "" }]} data={{ [field.key]: value }} />
        ) : (
          <Value field={field} value={value} />
        )}
      </span>
    </label>
  );
}
