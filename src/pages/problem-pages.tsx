import type { Child } from "hono/jsx";
import { SetUpProblem } from "#http/set-up.ts";
import { fieldErrorMeanings } from "#domain/problem/field-errors.ts";
import { problems, type ProblemCode } from "#domain/problem/catalogue.ts";
import type { Language } from "#domain/language.ts";
import { partTexts } from "#html/language.ts";
import { ViewerContext } from "#html/viewer.tsx";
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
      <h2>Field error codes</h2>
      <p>
        Each entry in <code>errors</code> has one of these codes, a <code>pointer</code> to the
        value and a <code>reason</code> for people.
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
      <a href="/problems">All problems</a>, <a href="/docs/errors">how to handle errors</a>,{" "}
      <a href="/docs/contents">documentation</a>
    </p>
  );
}

/** Titles and texts for people. Other problems use the text of their document. */
const pageTexts: Partial<Record<ProblemCode, readonly [title: string, text: string]>> = {
  not_found: [
    "Page not found",
    "The address is wrong, the page was deleted, or you don’t have access.",
  ],
  method_not_allowed: ["Page not found", "This address is not a page."],
  rate_limited: ["Too many attempts", "Wait a minute, then try again."],
  try_again: [
    "Service busy",
    "Your request couldn’t be completed in time. Wait a moment, then try again.",
  ],
  internal: [
    "Something went wrong",
    "Try again. If this keeps happening, send the request ID below to the operator of this service.",
  ],
  cross_site: [
    "Request blocked",
    "It came from another site. Open the administration area and try again there.",
  ],
};

const japaneseTexts: Record<ProblemCode, readonly [title: string, text?: string]> = {
  not_found: [
    "ページが見つかりません",
    "アドレスが間違っているか、ページが削除されたか、アクセス権がありません。",
  ],
  method_not_allowed: ["ページが見つかりません", "このアドレスのページはありません。"],
  rate_limited: ["試行回数が多すぎます", "1 分ほど待ってから、もう一度お試しください。"],
  try_again: [
    "処理が混み合っています",
    "時間内に処理できませんでした。しばらくしてから、もう一度お試しください。",
  ],
  internal: [
    "エラーが発生しました",
    "もう一度お試しください。解決しない場合は、下のリクエスト ID をサービスの運営者に伝えてください。",
  ],
  cross_site: [
    "リクエストをブロックしました",
    "ほかのサイトから送信されたリクエストです。管理画面を開いて、もう一度操作してください。",
  ],
  unauthenticated: [
    "ログインできません",
    "もう一度お試しください。解決しない場合は、サービスの運営者に連絡してください。",
  ],
  malformed_json: ["内容を読み取れませんでした"],
  malformed_header: ["内容を読み取れませんでした"],
  permission_required: ["アクセス権がありません"],
  role_required: ["この操作を行えません"],
  conflict: ["実行できませんでした"],
  submissions_closed: ["受け付けていません"],
  submission_closed: ["クローズ済みの回答です"],
  duplicate: ["値が重複しています"],
  schema_in_use: ["変更できませんでした"],
  indexing: ["検索の準備中です"],
  changes_expired: ["古い変更は表示できません"],
  version_mismatch: ["保存されませんでした"],
  too_large: ["サイズが上限を超えています"],
  unsupported_media_type: ["使用できない形式です"],
  range_not_satisfiable: ["ファイルを表示できません"],
  invalid_input: ["入力内容が正しくありません"],
};

function pageText(problem: Problem, language: Language): readonly [title: string, text: string] {
  if (language === "ja") {
    const [title, text = problem.detail] = japaneseTexts[problem.code];
    return [title, text];
  }
  if (problem instanceof SetUpProblem) return ["Setup incomplete", problem.detail];
  return pageTexts[problem.code] ?? [problems[problem.code].title, problem.detail];
}

const frameTexts = {
  en: {
    administration: "Go to administration",
    overview: "Go to overview",
    requestId: "Request ID",
  },
  ja: {
    administration: "管理画面に戻る",
    overview: "ホームに戻る",
    requestId: "リクエスト ID",
  },
} as const;

/** Puts the content of an error page into the frame of an area with its navigation. */
export type FrameError = (title: string, content: Child) => Child;

/** Renders the error page for browsers. The detail and the field errors of the problem are in this language. */
export function renderErrorPage(
  problem: Problem,
  requestId: string,
  language: Language,
  frameError: FrameError | undefined,
) {
  const [title, text] = pageText(problem, language);
  const frame = frameTexts[language];
  if (frameError)
    return (
      <>
        {frameError(
          title,
          <>
            <p>{text}</p>
            <FieldErrorList problem={problem} language={language} />
            <p>
              <a class="button quiet" href="/admin">
                {frame.overview}
              </a>
            </p>
            <p class="muted small">
              {frame.requestId} <code>{requestId}</code>
            </p>
          </>,
        )}
      </>
    );
  return (
    <ViewerContext.Provider value={{ zone: "UTC", language, locale: language, now: 0 }}>
      <Page title={title} breadcrumbs={<BrandMark />}>
        <p>{text}</p>
        <FieldErrorList problem={problem} language={language} />
        <p>
          <a class="button" href="/admin">
            {frame.administration}
          </a>
        </p>
        <p class="muted small">
          {frame.requestId} <code>{requestId}</code>
        </p>
      </Page>
    </ViewerContext.Provider>
  );
}

function FieldErrorList({ problem, language }: { problem: Problem; language: Language }) {
  const errors = (problem.members["errors"] ?? []) as { field: string; reason: string }[];
  return errors.length === 0 ? null : (
    <ul>
      {errors.map(({ field, reason }) => (
        <li>
          <strong>{field}</strong>
          {partTexts(language).colon}
          {reason}
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
          <p>This page needs JavaScript. The OpenAPI document does not.</p>
        </noscript>
      </div>
    </Page>
  );
}

function DocsLead({ document }: { document: string }) {
  return (
    <p>
      OpenAPI document: <a href={document}>{document}</a>. Each app and form has its own reference
      with its data types at <code>/docs?form=KEY</code> or <code>/docs?app=KEY</code>, once you are
      signed in to the administration area. See also the <a href="/docs/contents">guides</a> and{" "}
      <a href="/docs/mcp">how to connect assistants</a>.
    </p>
  );
}
