import type { PropsWithChildren } from "hono/jsx";
import { type useField, type Labelled } from "./use-field";

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
