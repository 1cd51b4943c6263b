import { raw } from "hono/html";
import { Page } from "../../html/page.tsx";
import { renderMarkdown, pageSlug } from "./markdown.ts";

/** The text of each Markdown file by its name without `.md`. */
export type Sources = Record<string, string>;

/** Returns the names of the pages in the order in which docs/README.md links them. */
function orderOf(sources: Sources): string[] {
  const links = (sources["README"] ?? "").matchAll(/\]\((?:\.\.\/)?([\w-]+)\.md/g);
  const order = [...new Set(["README", ...[...links].map(([, name = ""]) => name)])];
  const missingNames = Object.keys(sources).filter((name) => !order.includes(name));
  if (missingNames.length > 0)
    throw new Error(`docs/README.md links no page ${missingNames.join(", ")}.`);
  return order;
}

/** Renders the documentation. Returns the HTML and the Markdown source of each page, by file name under `/docs/`. */
export function renderPages(sources: Sources): Map<string, string> {
  const pageNames = new Set(Object.keys(sources));
  const order = orderOf(sources);
  const renderedPages = Object.entries(sources)
    .map(([name, markdown]) => ({ name, ...renderMarkdown(markdown, pageNames) }))
    .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
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

/** The search field. Scripts show it, because the browser searches. */
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
    <details class="pages">
      <summary>All pages</summary>
      <nav aria-label="Documentation">
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
    </details>
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
