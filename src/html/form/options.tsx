import type { Child } from "hono/jsx";

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
