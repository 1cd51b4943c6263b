import { createContext, useContext } from "hono/jsx";
import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "../../domain/problem/problem";

export interface Wrong {
  field: string;
  reason: string;
}

const WrongContext = createContext<readonly Wrong[]>([]);

export function wrongIn(problem: Problem | undefined): readonly Wrong[] {
  return (problem?.members["errors"] ?? []) as Wrong[];
}

/** Inputs below this find what was wrong with them by their names. */
export function WithWrong({
  problem,
  children,
}: PropsWithChildren<{ problem: Problem | undefined }>) {
  return <WrongContext.Provider value={wrongIn(problem)}>{children}</WrongContext.Provider>;
}

/** Why what an input of this name sent was refused; what is wrong inside it (`lines[0].qty`) counts too. */
export function useWrong(name: string): string[] {
  return useContext(WrongContext)
    .filter(
      ({ field }) =>
        field === name || (field.startsWith(name) && /^[.[]/.test(field.slice(name.length))),
    )
    .map(({ reason }) => reason);
}

/** Why what was sent as a whole under this name was refused, without what is wrong inside it. */
export function useWrongExactly(name: string): string[] {
  return useContext(WrongContext)
    .filter(({ field }) => field === name)
    .map(({ reason }) => reason);
}

/** The id of the input of this name, which the summary leads to. */
export const inputId = (name: string) => `f-${name.replaceAll(/[^\w-]/g, "-")}`;
