import type { PropsWithChildren } from "hono/jsx";

export type Tone = "good" | "warn" | "bad" | "accent" | "quiet";

/** A state, in a word and a colour. */
export function Badge({ tone = "quiet", children }: PropsWithChildren<{ tone?: Tone }>) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
