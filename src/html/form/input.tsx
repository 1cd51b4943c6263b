import type { Attributes } from "../attributes";
import { useField, type Labelled } from "./use-field";
import { Field } from "./field";

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
