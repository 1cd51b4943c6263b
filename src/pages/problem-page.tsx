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
      <p>
        <a href="/problems">All problems</a>
      </p>
    </Page>
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
    </Page>
  );
}
