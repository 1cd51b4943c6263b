import type { Problem } from "../domain/problem/problem";
import { problems, type ProblemCode } from "../domain/problem/problem-catalogue";
import { Page } from "../html/page";
import { Mark } from "../html/parts/mark";

/** What went wrong, for people: what they see and can do, without what only programs send. */
const forPeople: Partial<Record<ProblemCode, readonly [title: string, text: string]>> = {
  not_found: [
    "There is no such page",
    "The address is wrong, what stood there has gone, or it is not among what you may see.",
  ],
  method_not_allowed: ["There is no such page", "This address is no page that can be opened."],
  rate_limited: ["Too many attempts", "Wait a minute, then try again."],
  try_again: [
    "That took too long",
    "Nothing is known to be wrong with what you sent. Wait a moment, then try again.",
  ],
  internal: [
    "Something went wrong here",
    "Try again; if it stays like this, tell whoever runs this service the request id below.",
  ],
  too_large: ["That is too large", "Send less at once."],
  cross_site: [
    "Another site sent this",
    "It was refused, to protect you. Open the administration area itself and do it there.",
  ],
};

/** What went wrong, for people. */
export function refusalPage(problem: Problem, requestId: string) {
  const [title, text] = forPeople[problem.code] ?? [problems[problem.code].title, problem.detail];
  return (
    <Page title={title} crumbs={<Mark />}>
      <p>{text}</p>
      <Wrong problem={problem} />
      <p>
        <a class="button" href="/admin">
          To the administration area
        </a>
      </p>
      <p class="muted small">
        Request id <code>{requestId}</code>
      </p>
    </Page>
  );
}

function Wrong({ problem }: { problem: Problem }) {
  const errors = (problem.members["errors"] ?? []) as { field: string; reason: string }[];
  return errors.length === 0 ? null : (
    <ul>
      {errors.map(({ field, reason }) => (
        <li>
          <strong>{field}</strong>: {reason}
        </li>
      ))}
    </ul>
  );
}
