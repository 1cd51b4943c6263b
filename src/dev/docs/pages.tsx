import { raw } from "hono/html";
import { Page } from "../../html/page.tsx";
import { render, slug } from "./markdown.ts";

/** A Markdown file by its name without `.md`, as it is in the repository. */
export type Sources = Record<string, string>;

/** The order of the contents; whatever is not here follows by its title. */
const order = [
  "README",
  "first-call",
  "authentication",
  "fields",
  "formulas",
  "search",
  "recipes",
  "webhooks",
  "browsers",
  "errors",
  "using-the-api",
  "versioning",
  "CHANGELOG",
  "administration",
  "deployment",
];
const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);

/** Every page of the documentation by its file under `/docs/`: as HTML, and as the Markdown that it is made of. */
export function pages(sources: Sources): Map<string, string> {
  const served = new Set(Object.keys(sources));
  const rendered = Object.entries(sources)
    .map(([name, markdown]) => ({ name, ...render(markdown, served) }))
    .toSorted((a, b) => place(a.name) - place(b.name) || a.title.localeCompare(b.title));
  const contents = rendered.map(({ name, title }) => ({ path: `/docs/${slug(name)}`, title }));
  return new Map(
    rendered.flatMap(({ name, title, html, headings }) => {
      const here = `/docs/${slug(name)}`;
      const page = (
        <Page title={title} styles={["/assets/documentation.css"]}>
          <Contents pages={contents} here={here} />
          {headings.length > 2 ? <OnThisPage headings={headings} /> : null}
          {raw(html)}
        </Page>
      );
      return [
        [`${slug(name)}.html`, (page as { toString: () => string }).toString()],
        [`${slug(name)}.md`, sources[name] ?? ""],
      ];
    }),
  );
}

function Contents({
  pages: all,
  here,
}: {
  pages: { path: string; title: string }[];
  here: string;
}) {
  return (
    <nav class="pages" aria-label="Documentation">
      <ul>
        {all.map(({ path, title }) => (
          <li>
            <a href={path} aria-current={path === here ? "page" : undefined}>
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
