import { createContext, useContext, type PropsWithChildren, type Child } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";
import { partTexts } from "./language.ts";
import { useViewer } from "./viewer.tsx";

export interface FormError {
  field: string;
  reason: string;
}

/** Error reasons by input name, so that each of a page's many inputs finds its errors without a scan. */
interface ErrorIndex {
  exact: ReadonlyMap<string, string[]>;
  /** Includes each reason under every name that contains the field: `lines`, `lines[0]` and `lines[0].qty`. */
  within: ReadonlyMap<string, string[]>;
}

const FormErrorsContext = createContext<ErrorIndex>({ exact: new Map(), within: new Map() });

/** A field and the names that contain it, longest first. */
function namesContaining(field: string): string[] {
  const names = [field];
  for (let end = field.length - 1; end > 0; end -= 1) {
    if (field[end] === "." || field[end] === "[") names.push(field.slice(0, end));
  }
  return names;
}

const reasonsOf = <T extends { reason: string }>(groups: ReadonlyMap<string, T[]>) =>
  new Map([...groups].map(([name, group]) => [name, group.map(({ reason }) => reason)]));

function indexErrors(errors: readonly FormError[]): ErrorIndex {
  const exact = Map.groupBy(errors, ({ field }) => field);
  const within = Map.groupBy(
    errors.flatMap(({ field, reason }) => namesContaining(field).map((name) => ({ name, reason }))),
    ({ name }) => name,
  );
  return { exact: reasonsOf(exact), within: reasonsOf(within) };
}

export function formErrorsOf(problem: Problem | undefined): readonly FormError[] {
  return (problem?.members["errors"] ?? []) as FormError[];
}

/** Inputs inside this component find their errors by name. */
export function FormErrors({
  problem,
  children,
}: PropsWithChildren<{ problem: Problem | undefined }>) {
  return (
    <FormErrorsContext.Provider value={indexErrors(formErrorsOf(problem))}>
      {children}
    </FormErrorsContext.Provider>
  );
}

/** The errors of an input, including errors inside its value (`lines[0].qty`). */
export function useFieldErrors(name: string): string[] {
  return useContext(FormErrorsContext).within.get(name) ?? [];
}

/** The errors of an input's value as a whole, without errors inside it. */
export function useExactFieldErrors(name: string): string[] {
  return useContext(FormErrorsContext).exact.get(name) ?? [];
}

/** The id of an input. The error summary links to it. */
export const inputId = (name: string) => `f-${name.replaceAll(/[^\w-]/g, "-")}`;

/** Lists all errors at the top of the page and takes the focus. Each entry links to its input. */
export function ErrorSummary({
  problem,
  detail = problem.detail,
  title,
  labels = {},
  children,
}: {
  problem: Problem;
  /** The text of the problem in the language of the page. */
  detail?: string;
  /** A title that says which action failed. By default, it says that nothing was saved. */
  title?: string | undefined;
  /** Labels by input name, in the order of the page. Errors of other inputs have no link. */
  labels?: Record<string, string>;
  children?: Child;
}) {
  const { language } = useViewer();
  const positions = new Map(Object.keys(labels).map((name, position) => [name, position]));
  const errors = formErrorsOf(problem)
    .map((error) => ({
      ...error,
      position: positions.get(findInputName(error.field, labels) ?? "") ?? -1,
    }))
    .toSorted((a, b) => a.position - b.position);
  return (
    <div role="alert" id="wrong" tabindex={-1} autofocus>
      <p>
        <strong>
          {errors.length > 0 ? (title ?? partTexts(language).notSaved(errors.length)) : detail}
        </strong>
      </p>
      {errors.length > 0 ? (
        <ul>
          {errors.map((error) => (
            <li>
              <SummaryEntry {...error} labels={labels} />
            </li>
          ))}
        </ul>
      ) : null}
      {children}
    </div>
  );
}

function SummaryEntry({ field, reason, labels }: FormError & { labels: Record<string, string> }) {
  const { colon } = partTexts(useViewer().language);
  const inputName = findInputName(field, labels);
  if (inputName === undefined) return <>{field === "" ? reason : `${field}${colon}${reason}`}</>;
  return (
    <>
      <a href={`#${inputId(inputName)}`}>{labels[inputName]}</a>
      {colon}
      {reason}
    </>
  );
}

/** Returns the name of the input that is or contains a field. */
function findInputName(field: string, labels: Record<string, string>): string | undefined {
  return namesContaining(field).find((name) => Object.hasOwn(labels, name));
}
