import type { Problem } from "../domain/problem";
import { problems } from "../domain/problem-catalogue";
import { Page } from "./page";

/** What went wrong, for people. */
export function RefusalPage({ problem, requestId }: { problem: Problem; requestId: string }) {
  const { title, remedy } = problems[problem.code];
  const errors = (problem.members["errors"] ?? []) as { field: string; reason: string }[];
  return (
    <Page title={title}>
      <p>{problem.detail}</p>
      {errors.length > 0 ? (
        <ul>
          {errors.map(({ field, reason }) => (
            <li>
              <strong>{field}</strong>: {reason}
            </li>
          ))}
        </ul>
      ) : null}
      <p>{remedy}</p>
      <p>
        <a href="/admin">To the administration area</a>
      </p>
      <p class="muted">
        Request id <code>{requestId}</code>
      </p>
    </Page>
  );
}
