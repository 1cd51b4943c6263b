import { createContext, useContext } from "hono/jsx";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Problem } from "../domain/problem/problem";

interface Wrong {
  field: string;
  reason: string;
}

const WrongContext = createContext<readonly Wrong[]>([]);

function wrongIn(problem: Problem | undefined): readonly Wrong[] {
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

/** What was wrong, first thing on the page and with the focus; each entry leads to its input. */
export function Summary({
  problem,
  labels = {},
  children,
}: {
  problem: Problem;
  /** What people call the inputs of this page, by their names; what is not among them has no link. */
  labels?: Record<string, string>;
  children?: Child;
}) {
  const wrong = wrongIn(problem);
  return (
    <div role="alert" id="wrong" tabindex={-1} autofocus>
      <p>
        <strong>{wrong.length > 0 ? notSaved(wrong.length) : problem.detail}</strong>
      </p>
      {wrong.length > 0 ? (
        <ul>
          {wrong.map((each) => (
            <li>
              <Entry {...each} labels={labels} />
            </li>
          ))}
        </ul>
      ) : null}
      {children}
    </div>
  );
}

function notSaved(count: number): string {
  return count === 1
    ? "Nothing was saved: one entry needs another look."
    : `Nothing was saved: ${count} entries need another look.`;
}

function Entry({ field, reason, labels }: Wrong & { labels: Record<string, string> }) {
  const known = Object.keys(labels)
    .filter(
      (name) =>
        field === name || (field.startsWith(name) && /^[.[]/.test(field.slice(name.length))),
    )
    .toSorted((a, b) => b.length - a.length)[0];
  if (known === undefined) return <>{field === "" ? reason : `${field}: ${reason}`}</>;
  return (
    <>
      <a href={`#${inputId(known)}`}>{labels[known]}</a>: {reason}
    </>
  );
}
