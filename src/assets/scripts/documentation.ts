/** Searches the documentation in the browser. The index is loaded when the reader first enters the field. */

interface Section {
  path: string;
  title: string;
  heading?: string;
  id?: string;
  text: string;
}

const maxResults = 12;
const excerptLength = 160;

const searchArea = document.querySelector<HTMLElement>(".docs-search");
const searchInput = searchArea?.querySelector("input");
const searchStatus = searchArea?.querySelector("p");
const searchResults = searchArea?.querySelector("ul");
let index: Promise<Section[]> | undefined;

const loadIndex = async (): Promise<Section[]> => (await fetch("/docs/search.json")).json();

/** Returns the weight of a section. 0 if it lacks a word. Words in headings and titles weigh more. */
function weigh({ title, heading = "", text }: Section, words: string[]): number {
  const [page, section, body] = [title, heading, text].map((part) => part.toLowerCase());
  let weight = 0;
  for (const word of words) {
    const inSection = section?.includes(word) ? 6 : 0;
    const inPage = page?.includes(word) ? 3 : 0;
    const inText = Math.min(3, (body?.split(word).length ?? 1) - 1);
    if (inSection + inPage + inText === 0) return 0;
    weight += inSection + inPage + inText;
  }
  return weight;
}

function excerpt(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - excerptLength / 4);
  const end = at + excerptLength;
  return `${at > 0 ? "…" : ""}${text.slice(at, end)}${end < text.length ? "…" : ""}`;
}

function showSection({ path, title, heading, id, text }: Section, word: string): HTMLLIElement {
  const link = document.createElement("a");
  link.href = id === undefined ? path : `${path}#${id}`;
  link.textContent = heading === undefined ? title : `${title}: ${heading}`;
  const words = document.createElement("p");
  words.className = "muted small";
  words.textContent = excerpt(text, word);
  const item = document.createElement("li");
  item.append(link, words);
  return item;
}

async function search(): Promise<void> {
  const query = searchInput?.value ?? "";
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  index ??= loadIndex();
  const sections = words.length === 0 ? [] : await index;
  // The reader has changed the text in the meantime.
  if (query !== searchInput?.value) return;
  const matches = sections
    .map((section) => ({ section, weight: weigh(section, words) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  const results = matches.slice(0, maxResults);
  searchResults?.replaceChildren(
    ...results.map(({ section }) => showSection(section, words[0] ?? "")),
  );
  if (!searchStatus) return;
  searchStatus.textContent = words.length === 0 ? "" : countText(matches.length);
}

function countText(count: number): string {
  if (count === 0) return "Nothing found.";
  if (count > maxResults) return `The best ${maxResults} of ${count} sections.`;
  return count === 1 ? "1 section." : `${count} sections.`;
}

if (searchArea && searchInput) {
  searchArea.hidden = false;
  searchInput.addEventListener("input", () => void search());
}
