import { fieldErrors } from "../domain/problem/field-error-catalogue";
import { problems, type ProblemCode } from "../domain/problem/problem-catalogue";
import { Page } from "../html/page";

/** The page that the `type` of a problem leads to. */
export function ProblemPage({ code }: { code: ProblemCode }) {
  const { status, title, meaning, remedy } = problems[code];
  return (
    <Page title={title}>
      <p>
        <code>{code}</code>, HTTP status {status}
      </p>
      <h2>What it means</h2>
      <p>{meaning}</p>
      <h2>What to do</h2>
      <p>{remedy}</p>
      {code === "invalid_input" ? <FieldErrorCodes /> : null}
      <More />
    </Page>
  );
}

function FieldErrorCodes() {
  return (
    <>
      <h2>Codes of fields</h2>
      <p>
        Each entry of <code>errors</code> has one of these, with the <code>pointer</code> to the
        value and a <code>reason</code> in words.
      </p>
      <dl>
        {Object.entries(fieldErrors).map(([code, meaning]) => (
          <>
            <dt id={code}>
              <code>{code}</code>
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
    </>
  );
}

export function ProblemsPage() {
  return (
    <Page title="Problems">
      <ul>
        {Object.entries(problems).map(([code, { status, title }]) => (
          <li>
            <a href={`/problems/${code}`}>{code}</a> ({status}): {title}
          </li>
        ))}
      </ul>
      <More />
    </Page>
  );
}

function More() {
  return (
    <p>
      <a href="/problems">All problems</a>, <a href="/docs/errors">errors and what to do</a>,{" "}
      <a href="/docs/contents">documentation</a>
    </p>
  );
}
