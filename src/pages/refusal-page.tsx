import type { Problem } from "../domain/problem/problem";
import { problems } from "../domain/problem/problem-catalogue";
import { Page } from "../html/page";

/** What went wrong, for people. */
export function refusalPage(problem: Problem, requestId: string) {
  const { title, remedy } = problems[problem.code];
  return (
    <Page title={title}>
      <p>{problem.detail}</p>
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
