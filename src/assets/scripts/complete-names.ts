const mostOffered = 8;
const functions =
  "sum min max count avg round abs floor ceil concat coalesce today days_between add_days map filter";

/** While a formula is written, the names that begin as what is being written are offered. */
export function completeNames(form: HTMLElement): void {
  for (const input of form.querySelectorAll<HTMLInputElement>("input[data-names]")) {
    if (!input.getAttribute("aria-controls")) void new NameBox(input);
  }
}

class NameBox {
  readonly #input: HTMLInputElement;
  readonly #list = document.createElement("ul");
  #chosen = 0;

  constructor(input: HTMLInputElement) {
    this.#input = input;
    const list = this.#list;
    Object.assign(list, {
      id: `${input.id}-names`,
      className: "names",
      role: "listbox",
      hidden: true,
    });
    list.setAttribute("aria-label", "Names");
    input.after(list);
    input.role = "combobox";
    input.setAttribute("aria-controls", list.id);
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.addEventListener("input", () => this.#show());
    input.addEventListener("blur", () => this.#close());
    input.addEventListener("keydown", (event) => this.#pressed(event));
  }

  get #word(): string {
    const before = this.#input.value.slice(0, this.#input.selectionStart ?? 0);
    return /[a-z_]\w*$/i.exec(before)?.[0] ?? "";
  }

  #show(): void {
    const word = this.#word;
    const names = new Set(`${this.#input.dataset["names"]} ${functions}`.match(/\w+/g));
    const found =
      word === "" ? [] : [...names].filter((name) => name.startsWith(word) && name !== word);
    if (found.length === 0) return this.#close();
    this.#list.replaceChildren(
      ...found.slice(0, mostOffered).map((name, index) => this.#option(name, index)),
    );
    this.#chosen = 0;
    this.#list.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    return this.#mark();
  }

  #option(name: string, index: number): HTMLElement {
    const option = document.createElement("li");
    Object.assign(option, { id: `${this.#list.id}-${index}`, role: "option", textContent: name });
    option.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.#take(name);
    });
    return option;
  }

  #mark(): void {
    [...this.#list.children].forEach((option, index) => {
      option.setAttribute("aria-selected", String(index === this.#chosen));
      if (index === this.#chosen) this.#input.setAttribute("aria-activedescendant", option.id);
    });
  }

  #take(name: string): void {
    const at = this.#input.selectionStart ?? this.#input.value.length;
    this.#input.setRangeText(name, at - this.#word.length, at, "end");
    this.#input.dispatchEvent(new Event("input", { bubbles: true }));
    this.#close();
  }

  #close(): void {
    this.#list.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #pressed(event: KeyboardEvent): void {
    if (this.#list.hidden) return;
    const { length } = this.#list.children;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        this.#chosen = (this.#chosen + (event.key === "ArrowDown" ? 1 : length - 1)) % length;
        this.#mark();
        break;
      case "Enter":
      case "Tab":
        this.#take(this.#list.children[this.#chosen]?.textContent ?? "");
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

/** Fields are reordered by their grips; the form's order is the order of the fields. */
export function dragFields(form: HTMLFormElement, moved: () => void): void {
  let dragged: HTMLElement | undefined;
  form.addEventListener("pointerdown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.classList.contains("grip")) return;
    dragged = target.closest<HTMLElement>("li.def") ?? undefined;
    if (!dragged) return;
    event.preventDefault();
    form.setPointerCapture(event.pointerId);
    dragged.classList.add("dragged");
  });
  form.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const { parentElement } = dragged;
    const over = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((each) => each !== dragged && each.parentElement === parentElement);
    if (!over) return;
    const { top, height } = over.getBoundingClientRect();
    if (event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  const drop = () => {
    if (!dragged) return;
    dragged.classList.remove("dragged");
    dragged = undefined;
    moved();
  };
  form.addEventListener("pointerup", drop);
  form.addEventListener("pointercancel", drop);
}
