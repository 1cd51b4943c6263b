import { optionText } from "./language/list-options.ts";

/** Shows the options of each choice field as a sortable list. The form still sends the textarea. */
export function listOptions(form: HTMLElement): void {
  for (const text of form.querySelectorAll<HTMLTextAreaElement>("textarea[data-options]")) {
    if (!text.classList.contains("unseen")) void new OptionList(text);
  }
}

const icons = {
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  remove: "M4 4l8 8M12 4l-8 8",
};

type Action = keyof typeof icons;

class OptionList {
  readonly #text: HTMLTextAreaElement;
  readonly #list = document.createElement("ol");

  constructor(text: HTMLTextAreaElement) {
    this.#text = text;
    text.classList.add("unseen");
    text.tabIndex = -1;
    const hint = text.previousElementSibling;
    if (hint?.classList.contains("hint")) {
      hint.textContent = optionText.hint;
    }
    this.#list.className = "options";
    const add = document.createElement("button");
    Object.assign(add, { type: "button", textContent: optionText.add });
    add.classList.add("quiet", "little");
    add.addEventListener("click", () => this.#insert(this.#list.lastElementChild, "").focus());
    text.before(this.#list, add);
    this.#render();
    text.addEventListener("focus", () => this.#list.querySelector("input")?.focus());
    text.addEventListener("input", () => this.#render());
    this.#list.addEventListener("input", () => this.#store());
    this.#list.addEventListener("click", (event) => this.#handleClick(event));
    this.#list.addEventListener("keydown", (event) => this.#handleKey(event));
    this.#list.addEventListener("paste", (event) => this.#handlePaste(event));
  }

  #render(): void {
    const lines = this.#text.value.split("\n").filter((line) => line.trim() !== "");
    this.#list.replaceChildren();
    for (const line of lines.length > 0 ? lines : [""]) this.#insert(null, line);
  }

  /** Inserts an option after another, or at the end. Returns the input of its label. */
  #insert(after: Element | null, line: string): HTMLInputElement {
    const [label = "", value = ""] = line
      .split(/(?<!(?<!\\)(?:\\\\)*\\)\|/)
      .map((part) => part.trim().replaceAll(/\\([\\|])/g, "$1"));
    const item = document.createElement("li");
    const grip = document.createElement("span");
    Object.assign(grip, { className: "grip", textContent: "⠿", ariaHidden: "true" });
    const labelInput = createInput(label);
    labelInput.placeholder = optionText.label;
    const actions = Object.keys(icons) as Action[];
    item.append(grip, labelInput, createInput(value), ...actions.map(createButton));
    if (after) after.after(item);
    else this.#list.append(item);
    this.#nameInputs();
    return labelInput;
  }

  #nameInputs(): void {
    [...this.#list.children].forEach((item, index) => {
      const [label, value] = item.querySelectorAll("input");
      label?.setAttribute("aria-label", optionText.option(index + 1));
      value?.setAttribute("aria-label", optionText.valueOf(index + 1));
      if (label && value) value.placeholder = label.value || optionText.value;
      for (const button of item.querySelectorAll("button")) {
        button.ariaLabel = optionText.actionOn(button.title, index + 1);
      }
    });
  }

  #store(): void {
    this.#text.value = [...this.#list.children]
      .map((item) => [...item.querySelectorAll("input")].map(({ value }) => escapeText(value)))
      .filter(([label, value]) => label !== "" || value !== "")
      .map(([label = "", value = ""]) => (value === "" ? label : `${label} | ${value}`))
      .join("\n");
    this.#nameInputs();
  }

  /** Stores the options and lets the editor validate them. */
  #change(): void {
    this.#list.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #handleClick({ target }: Event): void {
    const button = target instanceof Element && target.closest<HTMLButtonElement>("button");
    const item = button && button.closest("li");
    if (!item) return;
    if (button.value === "up") item.previousElementSibling?.before(item);
    else if (button.value === "down") item.nextElementSibling?.after(item);
    else this.#remove(item);
    if (item.isConnected) button.focus();
    this.#change();
  }

  #remove(item: Element): void {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    (next?.querySelector("input") ?? this.#insert(null, "")).focus();
  }

  #handleKey(event: KeyboardEvent): void {
    const { target, key } = event;
    const item = target instanceof HTMLInputElement ? target.closest("li") : null;
    if (!item || event.isComposing) return;
    if (key === "Enter") {
      event.preventDefault();
      this.#insert(item, "").focus();
    }
    const isEmpty = [...item.querySelectorAll("input")].every(({ value }) => value === "");
    if (key === "Backspace" && isEmpty && item.previousElementSibling) {
      event.preventDefault();
      item.previousElementSibling.querySelector("input")?.focus();
      item.remove();
      this.#change();
    }
  }

  /** Converts pasted lines to options. */
  #handlePaste(event: ClipboardEvent): void {
    const { target, clipboardData } = event;
    const lines = (clipboardData?.getData("text") ?? "").split("\n").map((line) => line.trim());
    const texts = lines.filter((line) => line !== "");
    const item = target instanceof HTMLInputElement ? target.closest("li") : null;
    if (!item || texts.length < 2) return;
    event.preventDefault();
    let last: Element = item;
    for (const line of texts) last = this.#insert(last, line).closest("li") ?? last;
    if ([...item.querySelectorAll("input")].every(({ value }) => value === "")) item.remove();
    last.querySelector("input")?.focus();
    this.#change();
  }
}

const escapeText = (text: string) => text.trim().replaceAll("\\", "\\\\").replaceAll("|", "\\|");

function createInput(value: string): HTMLInputElement {
  const input = document.createElement("input");
  Object.assign(input, { value, maxLength: 200, autocomplete: "off" });
  return input;
}

function createButton(action: Action): HTMLButtonElement {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", value: action, title: optionText.actions[action] });
  button.classList.add("quiet", "little");
  button.innerHTML = `<svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><path d="${icons[action]}"/></svg>`;
  return button;
}
