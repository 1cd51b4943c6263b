import { Marked, type Tokens } from "marked";

const repository = "https://github.com/edge-forms/edge-forms/blob/main/";

interface Heading {
  id: string;
  text: string;
}

export interface Rendered {
  title: string;
  html: string;
  /** The sections, for the table of contents. */
  headings: Heading[];
}

/** Renders one of our own Markdown files; `served` are the names of those that have a page. */
export function render(markdown: string, served: ReadonlySet<string>): Rendered {
  const headings: Heading[] = [];
  const taken = new Set<string>();
  let title = "";
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(token: Tokens.Heading) {
        const inside = this.parser.parseInline(token.tokens);
        if (token.depth === 1) {
          title = plain(token.text);
          return "";
        }
        const id = anchor(plain(token.text), taken);
        if (token.depth === 2) headings.push({ id, text: plain(token.text) });
        const level = `h${token.depth}`;
        return `<${level} id="${id}">${inside} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></${level}>\n`;
      },
      // Both may be wider than a phone: they scroll by themselves, with the keyboard, too.
      code({ text, lang }: Tokens.Code) {
        const label = `Code${lang ? ` (${escape(lang)})` : ""}`;
        return `<pre tabindex="0" role="group" aria-label="${label}" data-language="${escape(lang ?? "")}"><code>${escape(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const inside = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        return tableOf(
          token.header.map(inside),
          token.rows.map((cells) => cells.map(inside)),
        );
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escape(address(href, served))}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  if (title === "") throw new Error("A page of the documentation begins with its title.");
  return { title, html, headings };
}

/** A first column without a heading names its rows; a table without any has no head. */
function tableOf(header: string[], rows: string[][]): string {
  const namesRows = header[0] === "";
  const heads = header.map((cell) => (cell === "" ? "<td></td>" : `<th scope="col">${cell}</th>`));
  const head = header.some(Boolean) ? `<thead><tr>${heads.join("")}</tr></thead>` : "";
  const body = rows.map(([first = "", ...others]) => {
    const name = namesRows ? `<th scope="row">${first}</th>` : `<td>${first}</td>`;
    return `<tr>${name}${others.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body.join("\n")}</tbody></table></div>\n`;
}

/** Where a link of a file leads on the pages: to another page, or to the file in the repository. */
function address(href: string, served: ReadonlySet<string>): string {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const after = fragment === undefined ? "" : `#${fragment}`;
  const file = new URL(path, "file:///docs/").pathname.slice(1);
  const name = file.replace(/^docs\//, "").replace(/\.md$/, "");
  if (served.has(name)) return `/docs/${slug(name)}${after}`;
  return `${repository}${file}${after}`;
}

/** The last part of a page's address. */
export const slug = (name: string) => (name === "README" ? "contents" : name.toLowerCase());

/** Marks in text that a heading is written with. */
const plain = (text: string) => text.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, "$1");

/** As the repository's own pages have it, so that links hold in both. */
function anchor(text: string, taken: Set<string>): string {
  const base = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
  let id = base;
  for (let again = 1; taken.has(id); again += 1) id = `${base}-${again}`;
  taken.add(id);
  return id;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter);
