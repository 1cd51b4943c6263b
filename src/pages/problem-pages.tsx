import { SetUpProblem } from "#http/set-up.ts";
import { fieldErrorMeanings } from "#domain/problem/field-errors.ts";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import { Page } from "#html/page.tsx";
import type { Problem } from "#domain/problem/problem.ts";
import { BrandMark } from "#html/parts.tsx";

/** The page at the `type` URL of a problem. */
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
      <MoreLinks />
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
        {Object.entries(fieldErrorMeanings).map(([code, meaning]) => (
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
      <MoreLinks />
    </Page>
  );
}

function MoreLinks() {
  return (
    <p>
      <a href="/problems">All problems</a>, <a href="/docs/errors">errors and what to do</a>,{" "}
      <a href="/docs/contents">documentation</a>
    </p>
  );
}

/** Titles and texts for people. Other problems use the text of their document. */
const pageTexts: Partial<Record<ProblemCode, readonly [title: string, text: string]>> = {
  not_found: [
    "There is no such page",
    "The address is wrong, the page no longer exists, or you do not have access to it.",
  ],
  method_not_allowed: ["There is no such page", "This address is not a page."],
  rate_limited: ["Too many attempts", "Wait a minute, then try again."],
  try_again: [
    "That took too long",
    "The service did not respond in time. Wait a moment, then try again.",
  ],
  internal: [
    "Something went wrong",
    "Try again. If the problem persists, send the request ID below to the operator of this service.",
  ],
  cross_site: [
    "Another site sent this",
    "It was rejected to protect you. Open the administration area and repeat the action there.",
  ],
};

function pageText(problem: Problem): readonly [title: string, text: string] {
  if (problem instanceof SetUpProblem) return ["Not set up", problem.detail];
  return pageTexts[problem.code] ?? [problems[problem.code].title, problem.detail];
}

/** The error page for browsers. */
export function renderErrorPage(problem: Problem, requestId: string) {
  const [title, text] = pageText(problem);
  return (
    <Page title={title} breadcrumbs={<BrandMark />}>
      <p>{text}</p>
      <FieldErrorList problem={problem} />
      <p>
        <a class="button" href="/admin">
          Open the administration area
        </a>
      </p>
      <p class="muted small">
        Request ID <code>{requestId}</code>
      </p>
    </Page>
  );
}

function FieldErrorList({ problem }: { problem: Problem }) {
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

/** The API reference with “try it out”. Loads Swagger UI from the service's own assets. */
export function DocsPage({ document }: { document: string }) {
  return (
    <Page
      title="API reference"
      styles={["/assets/swagger-ui.css", "/assets/docs.css"]}
      scripts={["/assets/swagger-ui-bundle.js", "/assets/docs.js"]}
      lead={<DocsLead document={document} />}
    >
      <div id="reference" data-document={document}>
        <noscript>
          <p>This page needs JavaScript. The document itself does not.</p>
        </noscript>
      </div>
    </Page>
  );
}

function DocsLead({ document }: { document: string }) {
  return (
    <p>
      This page shows <a href={document}>{document}</a>. Each app and form also has its own document
      with the types of its data. Sign in to the administration area, then open{" "}
      <code>/docs?form=KEY</code> or <code>/docs?app=KEY</code> to see it here. The{" "}
      <a href="/docs/contents">documentation</a> has guides, recipes and all codes. Assistants use{" "}
      <a href="/docs/mcp">
        <code>/mcp</code>
      </a>
      .
    </p>
  );
}
