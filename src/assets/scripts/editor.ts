import { completeNames, dragFields } from "./complete-names.ts";

/** The button that adds a text behind the last field of the same list; before, the next field has the focus. */
export function nextAdd(label: HTMLInputElement): HTMLButtonElement | null | undefined {
  const field = label.closest("li.def");
  const next = field?.nextElementSibling?.querySelector<HTMLInputElement>("input.label");
  if (next) {
    next.focus();
    return undefined;
  }
  return field?.parentElement?.nextElementSibling?.querySelector<HTMLButtonElement>(
    'button[value^="add:text"]',
  );
}

/** What is told about what stands here: what will happen, the preview, and what is wrong where. */
export function takeOver(form: HTMLFormElement, page: Document): void {
  for (const place of form.querySelectorAll<HTMLElement>("[data-live]")) {
    const drawn = page.getElementById(place.id);
    const isTicked = place.querySelector("input:checked") && drawn?.querySelector("input");
    if (!isTicked) place.replaceChildren(...(drawn?.childNodes ?? []));
  }
  for (const control of form.querySelectorAll<HTMLElement>("[name][id]")) {
    if (!control.closest("[data-live]")) markWrong(control, page);
  }
  for (const field of form.querySelectorAll<HTMLElement>("li.def")) {
    const drawn = page.querySelector(`li.def[data-path="${field.dataset["path"]}"]`);
    const named = [...field.querySelectorAll("[aria-label]")];
    const names = [...(drawn?.querySelectorAll("[aria-label]") ?? [])];
    if (named.length === names.length) {
      named.forEach((each, index) =>
        each.setAttribute("aria-label", names[index]?.ariaLabel ?? ""),
      );
    }
    const [own, their] = [field, drawn].map((each) =>
      each?.querySelector(":scope > .more > summary [data-key]"),
    );
    if (own && their) own.textContent = their.textContent;
    const [input, other] = [field, drawn].map((each) =>
      each?.querySelector<HTMLInputElement>(':scope > .more input[name$=".key"]'),
    );
    if (input && other) input.placeholder = other.placeholder;
  }
}

/** What is wrong with an input, beside it. */
function markWrong(control: HTMLElement, page: Document): void {
  const drawn = page.getElementById(control.id);
  for (const name of ["aria-invalid", "aria-describedby", "data-names"]) {
    const value = drawn?.getAttribute(name);
    if (value) control.setAttribute(name, value);
    else control.removeAttribute(name);
  }
  const told = document.getElementById(`${control.id}-wrong`);
  if (told?.dataset["live"] !== undefined) return;
  told?.remove();
  const wrong = page.getElementById(`${control.id}-wrong`);
  if (wrong) control.after(wrong);
}

/** The fields whose further rules are unfolded. */
export function openPaths(form: HTMLFormElement): string[] {
  return [...form.querySelectorAll<HTMLElement>("li.def:has(> .more[open])")].map(
    ({ dataset }) => dataset["path"] ?? "",
  );
}

export function reopen(form: HTMLFormElement, paths: readonly string[]): void {
  for (const path of paths) {
    form.querySelector(`[data-path="${path}"] > .more`)?.setAttribute("open", "");
  }
}

/** The focus stays where the eye is: a new field's label, or the button that was pressed. */
export function focusAfter(form: HTMLFormElement, act: string): void {
  const label = form.querySelector<HTMLInputElement>("input.label[autofocus]");
  const field = label?.closest("li.def");
  const verb = act.split(":")[0] ?? "";
  const isMove = verb === "up" || verb === "down";
  const button = field?.querySelector<HTMLButtonElement>(`button[value^="${verb}:"]`);
  (isMove && button ? button : label)?.focus();
  field?.scrollIntoView({ block: "nearest" });
}

const stillness = 350;

/**
 * The editor of a definition. The server draws it, here as without a script: each button posts what is written, and what
 * comes back takes the place of what stands here; while somebody writes, only what is told about it.
 */
export class DefinitionEditor {
  readonly #form: HTMLFormElement;
  #asked = 0;
  #acting = false;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    form.addEventListener("input", () => this.#written());
    form.addEventListener("submit", (event) => this.#submitted(event));
    form.addEventListener("keydown", continued);
    dragFields(form, () => void this.#redraw("check"));
    completeNames(form);
  }

  #written(): void {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#acting || void this.#tell(), stillness);
  }

  #submitted(event: SubmitEvent): void {
    const { submitter } = event;
    if (!(submitter instanceof HTMLButtonElement)) return;
    clearTimeout(this.#waiting);
    if (submitter.value === "save") return;
    event.preventDefault();
    void (submitter.value === "check" ? this.#tell() : this.#redraw(submitter.value));
  }

  /** The page as the server draws it after an act; nothing when another was asked for meanwhile. */
  async #ask(act: string): Promise<Document | undefined> {
    clearTimeout(this.#waiting);
    this.#asked += 1;
    const number = this.#asked;
    const body = new FormData(this.#form);
    body.set("do", act);
    const answer = await fetch(this.#form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (page.querySelector("form[data-editor]")) return number === this.#asked ? page : undefined;
    // Signed out meanwhile, or refused altogether: then the browser itself goes there, and stores nothing.
    const look = document.createElement("input");
    Object.assign(look, { type: "hidden", name: "do", value: "check" });
    this.#form.append(look);
    this.#form.submit();
    return undefined;
  }

  async #tell(): Promise<void> {
    const page = await this.#ask("check");
    if (page) takeOver(this.#form, page);
  }

  async #redraw(act: string): Promise<void> {
    const form = this.#form;
    this.#acting = true;
    const page = await this.#ask(act).finally(() => (this.#acting = false));
    const drawn = page?.querySelector("form[data-editor]");
    if (!drawn) return;
    const before = scrollY;
    const open = openPaths(form);
    form.replaceChildren(...drawn.childNodes);
    reopen(form, open);
    scrollTo({ top: before });
    focusAfter(form, act);
    completeNames(form);
  }
}

/** Enter behind a label goes on with the next field. */
function continued(event: KeyboardEvent): void {
  const { target, key } = event;
  if (key !== "Enter" || !(target instanceof HTMLInputElement)) return;
  if (!target.classList.contains("label")) return;
  event.preventDefault();
  nextAdd(target)?.click();
}
