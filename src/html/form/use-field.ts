import type { Child } from "hono/jsx";
import { inputId, useWrong } from "./wrong";

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
