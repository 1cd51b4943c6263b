import { createContext, useContext, type PropsWithChildren, type Child } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";

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

/** What was wrong, first thing on the page and with the focus; each entry leads to its input. */
export function Summary({
  problem,
  labels = {},
  children,
}: {
  problem: Problem;
  /** What people call the inputs of this page, by their names and in order; what is not among them has no link. */
  labels?: Record<string, string>;
  children?: Child;
}) {
  const names = Object.keys(labels);
  const wrong = wrongIn(problem)
    .map((each) => ({ ...each, place: names.indexOf(knownName(each.field, names) ?? "") }))
    .toSorted((a, b) => a.place - b.place);
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
  const known = knownName(field, Object.keys(labels));
  if (known === undefined) return <>{field === "" ? reason : `${field}: ${reason}`}</>;
  return (
    <>
      <a href={`#${inputId(known)}`}>{labels[known]}</a>: {reason}
    </>
  );
}

/** The input that a field is, or is within. */
function knownName(field: string, names: readonly string[]): string | undefined {
  return names
    .filter(
      (name) =>
        field === name || (field.startsWith(name) && /^[.[]/.test(field.slice(name.length))),
    )
    .toSorted((a, b) => b.length - a.length)[0];
}
