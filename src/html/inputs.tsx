import type { Child, PropsWithChildren } from "hono/jsx";
import { inputId, useFieldErrors } from "./form-errors.tsx";

/** The HTML attributes of an input, except the ones that its field sets. */
export interface InputAttributes {
  type?: string;
  required?: boolean;
  "aria-required"?: "true" | undefined;
  readonly?: boolean;
  disabled?: boolean;
  autofocus?: boolean;
  spellcheck?: boolean;
  placeholder?: string;
  inputmode?: "decimal" | "text" | "email" | "numeric" | "tel" | "url";
  autocomplete?: string;
  pattern?: string;
  accept?: string;
  list?: string;
  class?: string;
  maxlength?: number;
  minlength?: number | undefined;
  min?: string | number;
  max?: string | number;
  step?: string | number;
  rows?: number;
  [data: `data-${string}`]: string | number | undefined;
}

/** The attributes of an input for a day. The maximum limits years to 4 digits, which browsers do not do by default. */
export const dayInput = { type: "date", max: "9999-12-31" } as const;

export interface FieldProps {
  name: string;
  label: Child;
  hint?: Child | undefined;
  /** Replaces the id that derives from the name. Needed if a page contains the name twice. */
  id?: string;
  wide?: boolean;
}

/** The attributes that connect an input with its label, hint and errors. */
interface WiredInputProps {
  id: string;
  name: string;
  "aria-invalid": "true" | undefined;
  "aria-describedby": string | undefined;
}

/** Returns the attributes of an input and its errors. `Field` renders the label, hint and errors around the input. */
export function useField({ name, hint, id = inputId(name) }: Omit<FieldProps, "label">): {
  inputProps: WiredInputProps;
  wrong: string[];
} {
  const wrong = useFieldErrors(name);
  const descriptionIds = [hint ? `${id}-hint` : "", wrong.length > 0 ? `${id}-wrong` : ""];
  const inputProps = {
    id,
    name,
    "aria-invalid": wrong.length > 0 ? ("true" as const) : undefined,
    "aria-describedby":
      descriptionIds.filter((descriptionId) => descriptionId !== "").join(" ") || undefined,
  };
  return { inputProps, wrong };
}

/** An input with its label, hint and errors. */
export function Field({
  inputProps,
  wrong,
  label,
  hint,
  wide,
  children,
}: PropsWithChildren<Omit<FieldProps, "name" | "id"> & ReturnType<typeof useField>>) {
  return (
    <div class={wide ? "field wide" : "field"}>
      <label for={inputProps.id}>{label}</label>
      {hint ? (
        <span class="hint" id={`${inputProps.id}-hint`}>
          {hint}
        </span>
      ) : null}
      {children}
      <InputErrors id={inputProps.id} wrong={wrong} />
    </div>
  );
}

export function InputErrors({ id, wrong }: { id: string; wrong: readonly string[] }) {
  return wrong.length === 0 ? null : (
    <span class="error" id={`${id}-wrong`}>
      {wrong.join(" ")}
    </span>
  );
}

export interface InputOption {
  value: string;
  label: Child;
  /** An explanation next to the label. */
  hint?: Child;
}

export function SelectOptions({
  options,
  value,
}: {
  options: readonly InputOption[];
  value?: string | undefined;
}) {
  return (
    <>
      {options.map((option) => (
        <option value={option.value} selected={option.value === value}>
          {option.label}
        </option>
      ))}
    </>
  );
}

/** A group of radio buttons, or of check boxes with `multiple`. */
export function ChoiceGroup({
  name,
  label,
  hint,
  options,
  chosen,
  multiple,
  children,
}: Omit<FieldProps, "id" | "wide"> & {
  options: readonly InputOption[];
  chosen: readonly string[];
  multiple?: boolean;
  children?: Child;
}) {
  const { inputProps, wrong } = useField({ name, hint });
  const chosenValues = new Set(chosen);
  const { id, "aria-invalid": ariaInvalid, "aria-describedby": describedBy } = inputProps;
  return (
    <fieldset
      role={multiple ? undefined : "radiogroup"}
      aria-invalid={multiple ? undefined : ariaInvalid}
      aria-describedby={describedBy}
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
            type={multiple ? "checkbox" : "radio"}
            id={i === 0 ? id : undefined}
            name={name}
            value={option.value}
            checked={chosenValues.has(option.value)}
            aria-invalid={multiple ? ariaInvalid : undefined}
          />
          <span>
            {option.label} {option.hint ? <small>{option.hint}</small> : null}
          </span>
        </label>
      ))}
      {children}
      <InputErrors id={id} wrong={wrong} />
    </fieldset>
  );
}

/** A single-line input for text, a number, a day or a password. Passes further attributes to the input. */
export function Input({
  name,
  label,
  hint,
  id,
  wide,
  ...attributes
}: FieldProps & InputAttributes & { value?: string | number | undefined }) {
  const field = useField({ name, hint, ...(id ? { id } : {}) });
  return (
    <Field {...field} label={label} hint={hint} wide={wide ?? false}>
      <input {...field.inputProps} {...attributes} />
    </Field>
  );
}

/** A selection list. */
export function Select({
  name,
  label,
  hint,
  id,
  wide,
  options,
  value,
  ...attributes
}: FieldProps & { options: readonly InputOption[]; value?: string | undefined } & InputAttributes) {
  const field = useField({ name, hint, ...(id ? { id } : {}) });
  return (
    <Field {...field} label={label} hint={hint} wide={wide ?? false}>
      <select {...field.inputProps} {...attributes}>
        <SelectOptions options={options} value={value} />
      </select>
    </Field>
  );
}

/** A multi-line input. */
export function TextArea({
  name,
  label,
  hint,
  id,
  wide,
  value,
  ...attributes
}: FieldProps & { value?: string } & InputAttributes) {
  const field = useField({ name, hint, ...(id ? { id } : {}) });
  return (
    <Field {...field} label={label} hint={hint} wide={wide ?? false}>
      <textarea {...field.inputProps} {...attributes}>
        {value}
      </textarea>
    </Field>
  );
}
