import type { Child, PropsWithChildren } from "hono/jsx";
import { inputId, useWrong } from "./form-errors.tsx";

/** Further attributes of an input. */
export interface Attributes {
  type?: string;
  required?: boolean;
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

export interface Labelled {
  name: string;
  label: Child;
  hint?: Child | undefined;
  /** Another id than the one of the name, where a page has the name twice. */
  id?: string;
  wide?: boolean;
}

/** What an input needs to be tied to its label, its hint and what was wrong with it. */
interface Wired {
  id: string;
  name: string;
  "aria-invalid": "true" | undefined;
  "aria-describedby": string | undefined;
}

/** Ties any input: `tied(...).wired` goes on it, the rest is drawn around it. */
export function useField({ name, hint, id = inputId(name) }: Omit<Labelled, "label">): {
  wired: Wired;
  wrong: string[];
} {
  const wrong = useWrong(name);
  const described = [hint ? `${id}-hint` : "", wrong.length > 0 ? `${id}-wrong` : ""];
  const wired = {
    id,
    name,
    "aria-invalid": wrong.length > 0 ? ("true" as const) : undefined,
    "aria-describedby": described.filter((each) => each !== "").join(" ") || undefined,
  };
  return { wired, wrong };
}

/** A label, its hint, an input, and what was wrong with it. */
export function Field({
  wired,
  wrong,
  label,
  hint,
  wide,
  children,
}: PropsWithChildren<Omit<Labelled, "name" | "id"> & ReturnType<typeof useField>>) {
  return (
    <div class={wide ? "field wide" : "field"}>
      <label for={wired.id}>{label}</label>
      {hint ? (
        <span class="hint" id={`${wired.id}-hint`}>
          {hint}
        </span>
      ) : null}
      {children}
      <WrongWith id={wired.id} wrong={wrong} />
    </div>
  );
}

export function WrongWith({ id, wrong }: { id: string; wrong: readonly string[] }) {
  return wrong.length === 0 ? null : (
    <span class="error" id={`${id}-wrong`}>
      {wrong.join(" ")}
    </span>
  );
}

export interface Option {
  value: string;
  label: Child;
  /** What it means, beside it. */
  hint?: Child;
}

export function Options({
  options,
  value,
}: {
  options: readonly Option[];
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

/** One line: text, a number, a day, a password. Further attributes go to the input. */
export function Input({
  name,
  label,
  hint,
  id,
  wide,
  ...rest
}: Labelled & Attributes & { value?: string | number | undefined }) {
  const field = useField({ name, hint, ...(id ? { id } : {}) });
  return (
    <Field {...field} label={label} hint={hint} wide={wide ?? false}>
      <input {...field.wired} {...rest} />
    </Field>
  );
}

/** One of a list. */
export function Select({
  name,
  label,
  hint,
  id,
  wide,
  options,
  value,
  ...rest
}: Labelled & { options: readonly Option[]; value?: string | undefined } & Attributes) {
  const field = useField({ name, hint, ...(id ? { id } : {}) });
  return (
    <Field {...field} label={label} hint={hint} wide={wide ?? false}>
      <select {...field.wired} {...rest}>
        <Options options={options} value={value} />
      </select>
    </Field>
  );
}

/** Several lines. */
export function TextArea({
  name,
  label,
  hint,
  id,
  wide,
  value,
  ...rest
}: Labelled & { value?: string } & Attributes) {
  const field = useField({ name, hint, ...(id ? { id } : {}) });
  return (
    <Field {...field} label={label} hint={hint} wide={wide ?? false}>
      <textarea {...field.wired} {...rest}>
        {value}
      </textarea>
    </Field>
  );
}
