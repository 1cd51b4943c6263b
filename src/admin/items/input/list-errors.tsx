import { inputId, useWrongExactly } from "../../../html/form/wrong";

/** What was wrong with the list as a whole; what is wrong with a cell stands there. */
export function ListErrors({ name }: { name: string }) {
  const wrong = useWrongExactly(name);
  if (wrong.length === 0) return null;
  return (
    <p class="error" id={inputId(name)} tabindex={-1}>
      {wrong.join(" ")}
    </p>
  );
}
