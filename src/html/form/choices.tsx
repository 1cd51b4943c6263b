import type { Child } from "hono/jsx";
import { useField, type Labelled } from "./use-field";
import { WrongWith } from "./field";
import type { Option } from "./options";

/** A group of radio buttons, or of check boxes where `many`. */
export function Choices({
  name,
  label,
  hint,
  options,
  chosen,
  many,
  children,
}: Omit<Labelled, "id" | "wide"> & {
  options: readonly Option[];
  chosen: readonly string[];
  many?: boolean;
  children?: Child;
}) {
  const { wired, wrong } = useField({ name, hint });
  const checked = new Set(chosen);
  const { id, "aria-invalid": invalid, "aria-describedby": described } = wired;
  return (
    <fieldset
      role={many ? undefined : "radiogroup"}
      aria-invalid={many ? undefined : invalid}
      aria-describedby={described}
    >
      <legend>{label}</legend>
      {hint ? (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
      {options.map((option, i) => (
        <label class="choice">
          <input
            type={many ? "checkbox" : "radio"}
            id={i === 0 ? id : undefined}
            name={name}
            value={option.value}
            checked={checked.has(option.value)}
            aria-invalid={many ? invalid : undefined}
          />
          <span>
            {option.label} {option.hint ? <small>{option.hint}</small> : null}
          </span>
        </label>
      ))}
      {children}
      <WrongWith id={id} wrong={wrong} />
    </fieldset>
  );
}
