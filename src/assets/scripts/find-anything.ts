import { pageText } from "./language/page.ts";

interface Result {
  name: string;
  detail: string;
  href: string;
}

const debounceMs = 200;
const maxShown = 16;

/** Shows results while the member types in the search field of the frame. ⌘K or Ctrl+K focuses it. */
export function findAnything(): void {
  const form = document.querySelector<HTMLFormElement>("form.everything");
  const input = form?.querySelector<HTMLInputElement>("input[type=search]");
  if (!form || !input) return;
  const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);
  const isTouch = matchMedia("(pointer: coarse)").matches;
  if (!isTouch) input.placeholder += ` (${isMac ? "⌘K" : "Ctrl+K"})`;
  void new ResultBox(form, input);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(isMac ? event.metaKey : event.ctrlKey)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

class ResultBox {
  readonly #form: HTMLFormElement;
  readonly #input: HTMLInputElement;
  readonly #list = document.createElement("ul");
  #results: Result[] = [];
  #selected = -1;
  #requestCount = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(form: HTMLFormElement, input: HTMLInputElement) {
    this.#form = form;
    this.#input = input;
    Object.assign(this.#list, { id: "everything", role: "listbox", hidden: true });
    this.#list.ariaLabel = pageText.found;
    input.after(this.#list);
    input.role = "combobox";
    input.setAttribute("aria-controls", this.#list.id);
    input.ariaExpanded = "false";
    input.ariaAutoComplete = "list";
    input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#find().catch(() => this.#close()), debounceMs);
    });
    input.addEventListener("keydown", (event) => this.#handleKey(event));
    input.addEventListener("blur", () => this.#close());
  }

  async #find(): Promise<void> {
    this.#requestCount += 1;
    const number = this.#requestCount;
    const text = this.#input.value.trim();
    if (text === "") return this.#close();
    const address = new URL(this.#form.action);
    for (const [name, value] of new FormData(this.#form)) {
      if (typeof value === "string") address.searchParams.set(name, value);
    }
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) return this.#close();
    const { groups, elsewhere } = (await response.json()) as {
      groups: { results: Result[] }[];
      elsewhere: Result[];
    };
    if (number !== this.#requestCount || document.activeElement !== this.#input) return undefined;
    const hits = groups.flatMap(({ results }) => results).slice(0, maxShown);
    this.#results = [...hits, ...elsewhere];
    return this.#show(hits.length > 0);
  }

  #show(hasFound: boolean): void {
    this.#selected = -1;
    const options = this.#results.map((result, index) => this.#option(result, index));
    this.#list.replaceChildren(...(hasFound ? options : [noResult(), ...options]));
    this.#list.hidden = false;
    this.#input.ariaExpanded = "true";
    // Without a result, Enter opens the page of the search.
    this.#select(hasFound ? 0 : -1);
  }

  #option({ name, detail, href }: Result, index: number): HTMLElement {
    const option = document.createElement("li");
    Object.assign(option, { id: `everything-${index}`, role: "option" });
    const note = document.createElement("small");
    note.textContent = detail;
    option.append(name, " ", note);
    option.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      location.assign(href);
    });
    return option;
  }

  #select(index: number): void {
    this.#selected = index;
    for (const option of this.#list.children)
      option.ariaSelected = String(option.id === `everything-${index}`);
    if (index === -1) this.#input.removeAttribute("aria-activedescendant");
    else this.#input.setAttribute("aria-activedescendant", `everything-${index}`);
  }

  #close(): void {
    this.#list.hidden = true;
    this.#input.ariaExpanded = "false";
    this.#results = [];
    this.#select(-1);
  }

  #handleKey(event: KeyboardEvent): void {
    const { length } = this.#results;
    if (event.key === "Escape") this.#close();
    if (length === 0 || event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : length - 1;
      const from = event.key === "ArrowUp" ? Math.max(this.#selected, 0) : this.#selected;
      this.#select((from + step) % length);
    }
    const result = this.#results[this.#selected];
    if (event.key === "Enter" && result) {
      event.preventDefault();
      location.assign(result.href);
    }
  }
}

/** Returns an entry that says that nothing matches. The member cannot select it. */
function noResult(): HTMLElement {
  const entry = document.createElement("li");
  Object.assign(entry, {
    role: "option",
    ariaDisabled: "true",
    textContent: pageText.nothingFound,
  });
  return entry;
}
