import type { Attributes } from "../attributes";
import { useField, type Labelled } from "./use-field";
import { Field } from "./field";

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
