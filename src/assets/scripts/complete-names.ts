import { formulaText } from "./language/complete-names.ts";

const maxOptions = 8;
const functions = [
  "sum",
  "min",
  "max",
  "count",
  "avg",
  "round",
  "abs",
  "floor",
  "ceil",
  "concat",
  "coalesce",
  "today",
  "days_between",
  "add_days",
  "map",
  "filter",
];

/** Suggests names while the member types a formula. */
export function completeNames(form: HTMLElement): void {
  for (const input of form.querySelectorAll<HTMLInputElement>("input[data-formula]")) {
    if (!input.getAttribute("aria-controls")) void new NameBox(input);
  }
  for (const name of form.querySelectorAll<HTMLElement>("code[data-insert]")) insertOnClick(name);
}

/** Turns a listed name into a button that inserts it into the formula. */
function insertOnClick(name: HTMLElement): void {
  const input = name.closest(".formula")?.querySelector<HTMLInputElement>("input[data-formula]");
  const text = name.dataset["insert"] ?? "";
  if (!input || text === "") return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "insert";
  button.textContent = name.textContent;
  button.setAttribute("aria-label", formulaText.insert(text));
  button.addEventListener("click", () => {
    const [start, end] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
    input.setRangeText(text, start, end, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.focus();
  });
  name.replaceWith(button);
}

class NameBox {
  readonly #input: HTMLInputElement;
  readonly #list = document.createElement("ul");
  #selectedIndex = 0;

  constructor(input: HTMLInputElement) {
    this.#input = input;
    const list = this.#list;
    Object.assign(list, {
      id: `${input.id}-names`,
      className: "names",
      role: "listbox",
      hidden: true,
    });
    list.setAttribute("aria-label", formulaText.names);
    input.after(list);
    input.role = "combobox";
    input.setAttribute("aria-controls", list.id);
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.addEventListener("input", () => this.#show());
    input.addEventListener("blur", () => this.#close());
    input.addEventListener("keydown", (event) => this.#handleKey(event));
  }

  /** The names of the fields next to this one. The list contains them once for all its formulas. */
  get #listNames(): string {
    return this.#input.closest<HTMLElement>("ol[data-names]")?.dataset["names"] ?? "";
  }

  get #ownKey(): string {
    const field = this.#input.closest("li.def");
    return field?.querySelector(":scope > .row > summary [data-key]")?.textContent ?? "";
  }

  get #word(): string {
    const prefix = this.#input.value.slice(0, this.#input.selectionStart ?? 0);
    return /[a-z_]\w*$/i.exec(prefix)?.[0] ?? "";
  }

  #show(): void {
    const word = this.#word;
    const names = new Set([...(this.#listNames.match(/\w+/g) ?? []), ...functions]);
    names.delete(this.#ownKey);
    const matches =
      word === "" ? [] : [...names].filter((name) => name.startsWith(word) && name !== word);
    if (matches.length === 0) return this.#close();
    this.#list.replaceChildren(
      ...matches.slice(0, maxOptions).map((name, index) => this.#option(name, index)),
    );
    this.#selectedIndex = 0;
    this.#list.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    return this.#markSelected();
  }

  #option(name: string, index: number): HTMLElement {
    const option = document.createElement("li");
    Object.assign(option, { id: `${this.#list.id}-${index}`, role: "option", textContent: name });
    option.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.#insert(name);
    });
    return option;
  }

  #markSelected(): void {
    [...this.#list.children].forEach((option, index) => {
      option.setAttribute("aria-selected", String(index === this.#selectedIndex));
      if (index === this.#selectedIndex)
        this.#input.setAttribute("aria-activedescendant", option.id);
    });
  }

  #insert(name: string): void {
    const cursor = this.#input.selectionStart ?? this.#input.value.length;
    this.#input.setRangeText(name, cursor - this.#word.length, cursor, "end");
    this.#input.dispatchEvent(new Event("input", { bubbles: true }));
    this.#close();
  }

  #close(): void {
    this.#list.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #handleKey(event: KeyboardEvent): void {
    if (this.#list.hidden) return;
    const { length } = this.#list.children;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        this.#selectedIndex =
          (this.#selectedIndex + (event.key === "ArrowDown" ? 1 : length - 1)) % length;
        this.#markSelected();
        break;
      case "Enter":
      case "Tab":
        this.#insert(this.#list.children[this.#selectedIndex]?.textContent ?? "");
        break;
      case "Escape":
        this.#close();
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}

/** Lets the member reorder fields and options by dragging. The form sends them in the order of the page. */
export function dragFields(form: HTMLFormElement, onMove: () => void): void {
  let dragged: HTMLElement | undefined;
  form.addEventListener("pointerdown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.classList.contains("grip")) return;
    dragged = target.closest("li") ?? undefined;
    if (!dragged) return;
    event.preventDefault();
    form.setPointerCapture(event.pointerId);
    dragged.classList.add("dragged");
  });
  form.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const { parentElement } = dragged;
    const target = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((element) => element !== dragged && element.parentElement === parentElement);
    if (!target) return;
    const { top, height } = target.getBoundingClientRect();
    if (event.clientY < top + height / 2) target.before(dragged);
    else target.after(dragged);
  });
  const drop = () => {
    if (!dragged) return;
    dragged.classList.remove("dragged");
    dragged.dispatchEvent(new Event("input", { bubbles: true }));
    if (dragged.classList.contains("def")) onMove();
    dragged = undefined;
  };
  form.addEventListener("pointerup", drop);
  form.addEventListener("pointercancel", drop);
}
