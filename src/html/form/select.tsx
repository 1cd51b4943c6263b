import type { Attributes } from "../attributes";
import { useField, type Labelled } from "./use-field";
import { Field } from "./field";
import { Options, type Option } from "./options";

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
