import { raw } from "hono/html";
import { Page } from "../../html/page.tsx";
import { renderMarkdown, pageSlug } from "./markdown.ts";

/** The text of each Markdown file by its name without `.md`. */
export type Sources = Record<string, string>;

/** The order of the contents. Other pages follow, sorted by title. */
const order = [
  "README",
  "what-is-edge-forms",
  "apps-and-forms",
  "first-call",
  "concepts",
  "website-form",
  "sync-an-erp",
  "nightly-report",
  "react-to-changes",
  "migrate",
  "generators",
  "recipes",
  "authentication",
  "fields",
  "references",
  "formulas",
  "search",
  "aggregates",
  "views",
  "webhooks",
  "browsers",
  "errors",
  "using-the-api",
  "versioning",
  "CHANGELOG",
  "administration",
  "deployment",
  "databases",
];
const positionOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);

/** Renders the documentation. Returns the HTML and the Markdown source of each page, by file name under `/docs/`. */
export function renderPages(sources: Sources): Map<string, string> {
  const pageNames = new Set(Object.keys(sources));
  const renderedPages = Object.entries(sources)
    .map(([name, markdown]) => ({ name, ...renderMarkdown(markdown, pageNames) }))
    .toSorted((a, b) => positionOf(a.name) - positionOf(b.name) || a.title.localeCompare(b.title));
  const contents = renderedPages.map(({ name, title }) => ({
    path: `/docs/${pageSlug(name)}`,
    title,
  }));
  const index = renderedPages.flatMap(({ name, sections }) =>
    sections.map((section) => ({ path: `/docs/${pageSlug(name)}`, ...section })),
  );
  return new Map<string, string>(
    [["search.json", JSON.stringify(index)]].concat(
      renderedPages.flatMap(({ name, title, html, headings }) => {
        const path = `/docs/${pageSlug(name)}`;
        const page = (
          <Page
            title={title}
            styles={["/assets/documentation.css"]}
            scripts={["/assets/documentation.js"]}
          >
            <DocsSearch />
            <Contents pages={contents} currentPath={path} />
            {headings.length > 2 ? <OnThisPage headings={headings} /> : null}
            {raw(html)}
          </Page>
        );
        return [
          [`${pageSlug(name)}.html`, (page as { toString: () => string }).toString()],
          [`${pageSlug(name)}.md`, sources[name] ?? ""],
        ];
      }),
    ) as [string, string][],
  );
}

/** Scripts show it, because the browser searches. */
function DocsSearch() {
  return (
    <search class="docs-search" hidden>
      <label for="docs-search">Search the documentation</label>
      <input id="docs-search" type="search" autocomplete="off" spellcheck={false} />
      <p role="status" class="muted small"></p>
      <ul></ul>
    </search>
  );
}

function Contents({
  pages: entries,
  currentPath,
}: {
  pages: { path: string; title: string }[];
  currentPath: string;
}) {
  return (
    <nav class="pages" aria-label="Documentation">
      <ul>
        {entries.map(({ path, title }) => (
          <li>
            <a href={path} aria-current={path === currentPath ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
        <li>
          <a href="/docs">API reference</a>
        </li>
        <li>
          <a href="/problems">Problems</a>
        </li>
      </ul>
    </nav>
  );
}

function OnThisPage({ headings }: { headings: { id: string; text: string }[] }) {
  return (
    <details class="contents" open>
      <summary>On this page</summary>
      <ul>
        {headings.map(({ id, text }) => (
          <li>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
