import { Marked, type Tokens } from "marked";

const repository = "https://github.com/edge-forms/edge-forms/blob/main/";

interface Heading {
  id: string;
  text: string;
}

export interface RenderedPage {
  title: string;
  html: string;
  /** The sections, for the table of contents. */
  headings: Heading[];
  /** The texts that the search covers: the page's beginning and its sections. */
  sections: Section[];
}

interface Section {
  title: string;
  /** The heading and its anchor. The beginning of a page has neither. */
  heading?: string;
  id?: string;
  text: string;
}

/** Renders a Markdown file of this repository. `pageNames` are the names of the files that have a page. */
export function renderMarkdown(markdown: string, pageNames: ReadonlySet<string>): RenderedPage {
  const headings: Heading[] = [];
  const usedIds = new Set<string>();
  let title = "";
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(token: Tokens.Heading) {
        const content = this.parser.parseInline(token.tokens);
        if (token.depth === 1) {
          title = stripMarkup(token.text);
          return "";
        }
        const id = createAnchor(stripMarkup(token.text), usedIds);
        if (token.depth === 2) headings.push({ id, text: stripMarkup(token.text) });
        const level = `h${token.depth}`;
        return `<${level} id="${id}">${content} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></${level}>\n`;
      },
      // Code and tables may be wider than a phone. `tabindex` makes them scrollable with the keyboard.
      code({ text, lang }: Tokens.Code) {
        const label = `Code${lang ? ` (${escape(lang)})` : ""}`;
        return `<pre tabindex="0" role="group" aria-label="${label}" data-language="${escape(lang ?? "")}"><code>${escape(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const renderCell = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        return renderTable(
          token.header.map(renderCell),
          token.rows.map((cells) => cells.map(renderCell)),
        );
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escape(imageAddress(href))}" alt="${escape(text)}">`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escape(resolveLink(href, pageNames))}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  if (title === "") throw new Error("A page of the documentation must begin with its title.");
  return { title, html, headings, sections: splitSections(title, html) };
}

const sectionHeading = /<h[23] id="([^"]*)">(.*?) <a class="anchor"[^]*?<\/h[23]>/;

/** Splits a page at its headings, without markup. */
function splitSections(title: string, html: string): Section[] {
  const [beginning = "", ...parts] = html.split(new RegExp(sectionHeading.source, "g"));
  const sections: Section[] = [{ title, text: htmlToText(beginning) }];
  for (let at = 0; at < parts.length; at += 3) {
    const [id = "", heading = "", text = ""] = parts.slice(at, at + 3);
    sections.push({ title, heading: htmlToText(heading), id, text: htmlToText(text) });
  }
  return sections;
}

const htmlToText = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity) => plainEntities[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();

const plainEntities: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Renders a table. A first column without a heading contains row headers. A table without any heading has no `<thead>`. */
function renderTable(header: string[], rows: string[][]): string {
  const hasRowHeaders = header[0] === "";
  const headerCells = header.map((cell) =>
    cell === "" ? "<td></td>" : `<th scope="col">${cell}</th>`,
  );
  const head = header.some(Boolean) ? `<thead><tr>${headerCells.join("")}</tr></thead>` : "";
  const body = rows.map(([firstCell = "", ...otherCells]) => {
    const firstHtml = hasRowHeaders ? `<th scope="row">${firstCell}</th>` : `<td>${firstCell}</td>`;
    return `<tr>${firstHtml}${otherCells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body.join("\n")}</tbody></table></div>\n`;
}

/** Resolves a link to the page of the linked file, or else to the file in the repository. */
function resolveLink(href: string, pageNames: ReadonlySet<string>): string {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const hash = fragment === undefined ? "" : `#${fragment}`;
  const file = new URL(path, "file:///docs/").pathname.slice(1);
  const name = file.replace(/^docs\//, "").replace(/\.md$/, "");
  if (pageNames.has(name)) return `/docs/${pageSlug(name)}${hash}`;
  return `${repository}${file}${hash}`;
}

/** Returns the address of a picture. Pictures are served next to the pages, wherever they are in the repository. */
const imageAddress = (href: string) => `/docs/images/${href.slice(href.lastIndexOf("/") + 1)}`;

/** Returns the last part of a page's address. */
export const pageSlug = (name: string) => (name === "README" ? "contents" : name.toLowerCase());

/** Removes Markdown markup from a heading. */
const stripMarkup = (text: string) => text.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, "$1");

/** Uses the same anchors as GitHub, so that links work in both places. */
function createAnchor(text: string, usedIds: Set<string>): string {
  const base = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
  let id = base;
  for (let suffix = 1; usedIds.has(id); suffix += 1) id = `${base}-${suffix}`;
  usedIds.add(id);
  return id;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter);
