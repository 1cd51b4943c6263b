import type { Problem } from "../domain/problem";
import { problems } from "../domain/problem-catalogue";
import { FieldErrors } from "./field-errors";
import { Page } from "./page";

/** What went wrong, for people. */
export function RefusalPage({ problem, requestId }: { problem: Problem; requestId: string }) {
  const { title, remedy } = problems[problem.code];
  return (
    <Page title={title}>
      <p>{problem.detail}</p>
      <FieldErrors problem={problem} />
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
