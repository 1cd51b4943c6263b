import { completeNames, dragFields } from "./complete-names.ts";
import { closeDrops } from "./drops.ts";
import { listOptions } from "./list-options.ts";
import { addRows, moveRows } from "./lists.ts";
import { suggestRecords } from "./suggest-records.ts";

/** Focuses the next field. After the last field, returns the button that adds a text field to the list. */
function findAddButton(label: HTMLInputElement): HTMLButtonElement | null | undefined {
  const field = label.closest("li.def");
  const next = field?.nextElementSibling?.querySelector<HTMLInputElement>("input.label");
  if (next) {
    next.closest("details")?.setAttribute("open", "");
    next.focus();
    return undefined;
  }
  return field?.parentElement?.nextElementSibling?.querySelector<HTMLButtonElement>(
    'button[value^="add:text"]',
  );
}

/** Updates everything except the inputs: notices, preview, errors and names. `page` is the server's rendering. */
function updateLiveParts(form: HTMLFormElement, page: Document): void {
  for (const element of form.querySelectorAll<HTMLElement>("[data-live]")) {
    const rendered = page.getElementById(element.id);
    const isTicked = element.querySelector("input:checked") && rendered?.querySelector("input");
    if (!isTicked) element.replaceChildren(...(rendered?.childNodes ?? []));
  }
  for (const control of form.querySelectorAll<HTMLElement>("[name][id]")) {
    if (control.closest("[data-live]")) continue;
    showError(control, page);
    showHint(control, page);
  }
  for (const list of form.querySelectorAll<HTMLElement>("ol.defs[id]")) {
    list.dataset["names"] = page.getElementById(list.id)?.dataset["names"] ?? "";
  }
  for (const field of form.querySelectorAll<HTMLElement>("li.def")) {
    const rendered = page.querySelector(`li.def[data-path="${field.dataset["path"]}"]`);
    const elements = [...field.querySelectorAll("[aria-label]")];
    const renderedElements = [...(rendered?.querySelectorAll("[aria-label]") ?? [])];
    if (elements.length === renderedElements.length) {
      elements.forEach((element, index) =>
        element.setAttribute("aria-label", renderedElements[index]?.ariaLabel ?? ""),
      );
    }
    const [summary, renderedSummary] = [field, rendered].map((item) =>
      item?.querySelector(":scope > .row > summary"),
    );
    if (summary && renderedSummary) summary.replaceChildren(...renderedSummary.childNodes);
  }
}

/** Shows the error of an input next to it, and its placeholder. */
function showError(control: HTMLElement, page: Document): void {
  const rendered = page.getElementById(control.id);
  if (control instanceof HTMLInputElement && rendered instanceof HTMLInputElement)
    control.placeholder = rendered.placeholder;
  for (const name of ["aria-invalid", "aria-describedby"]) {
    const value = rendered?.getAttribute(name);
    if (value) control.setAttribute(name, value);
    else control.removeAttribute(name);
  }
  const current = document.getElementById(`${control.id}-wrong`);
  if (current?.dataset["live"] !== undefined) return;
  current?.remove();
  const error = page.getElementById(`${control.id}-wrong`);
  if (error) control.after(error);
}

/** Shows the hint of an input. Opens the rules with the key when a key cannot be derived from the label. */
function showHint(control: HTMLElement, page: Document): void {
  const id = `${control.id}-hint`;
  const [hint, rendered] = [document.getElementById(id), page.getElementById(id)];
  if (!hint || !rendered || hint.textContent === rendered.textContent) return;
  hint.replaceChildren(...rendered.childNodes);
  const asksForKey = page.getElementById(control.id)?.closest("details[data-asks-key]");
  if (asksForKey) control.closest<HTMLDetailsElement>("details.more")?.setAttribute("open", "");
}

/** Sends the open rows, so that they stay open. */
function sendOpenRows(form: HTMLFormElement, body: FormData): void {
  for (const type of form.querySelectorAll<HTMLInputElement>('li.def > input[name$=".type"]')) {
    const row = type.parentElement?.querySelector<HTMLDetailsElement>(":scope > .row");
    if (row?.open) body.set(type.name.replace(/type$/, "open"), "on");
  }
}

/**
 * Restores the focus: to the label of a new field, to the button that moved a row, or to the row next to a removed one.
 */
function focusAfter(form: HTMLFormElement): void {
  const element = form.querySelector<HTMLElement>("li.def [autofocus]");
  element?.focus();
  element?.closest("li.def")?.scrollIntoView({ block: "nearest" });
}

const debounceMs = 350;

/**
 * The editor of a definition. The server renders it, with or without this script. Each button posts the form, and the
 * response replaces it. While the member types, only notices, preview and errors are updated.
 */
class DefinitionEditor {
  readonly #form: HTMLFormElement;
  #requestCount = 0;
  #isRedrawing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    // The panel updates after every change, so the button is not needed.
    form.classList.add("live");
    form.addEventListener("input", () => this.#handleInput());
    form.addEventListener("submit", (event) => this.#handleSubmit(event));
    form.addEventListener("keydown", handleEnter);
    dragFields(form, () => void this.#redraw("check"));
    completeNames(form);
    listOptions(form);
  }

  #handleInput(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#isRedrawing || void this.#refresh(), debounceMs);
  }

  #handleSubmit(event: SubmitEvent): void {
    const { submitter } = event;
    if (!(submitter instanceof HTMLButtonElement)) return;
    clearTimeout(this.#timer);
    if (submitter.value === "save") return;
    event.preventDefault();
    void (submitter.value === "check" ? this.#refresh() : this.#redraw(submitter.value));
  }

  /** Fetches the page that the server renders after an action. Returns undefined if a newer request has started. */
  async #fetchPage(action: string): Promise<Document | undefined> {
    clearTimeout(this.#timer);
    this.#requestCount += 1;
    const requestNumber = this.#requestCount;
    const body = new FormData(this.#form);
    body.set("do", action);
    sendOpenRows(this.#form, body);
    const response = await fetch(this.#form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (page.querySelector("form[data-editor]"))
      return requestNumber === this.#requestCount ? page : undefined;
    // Without an editor in the page, the session has ended or the request has failed. The browser then submits a
    // harmless check.
    const checkInput = document.createElement("input");
    Object.assign(checkInput, { type: "hidden", name: "do", value: "check" });
    this.#form.append(checkInput);
    this.#form.noValidate = true;
    this.#form.requestSubmit();
    return undefined;
  }

  async #refresh(): Promise<void> {
    const page = await this.#fetchPage("check");
    if (page) updateLiveParts(this.#form, page);
  }

  async #redraw(action: string): Promise<void> {
    const form = this.#form;
    this.#isRedrawing = true;
    const page = await this.#fetchPage(action).finally(() => (this.#isRedrawing = false));
    const renderedForm = page?.querySelector("form[data-editor]");
    if (!renderedForm) return;
    const scrollTop = scrollY;
    form.replaceChildren(...renderedForm.childNodes);
    scrollTo({ top: scrollTop });
    completeNames(form);
    listOptions(form);
    focusAfter(form);
  }
}

/** Enter in a label moves on to the next field. */
function handleEnter(event: KeyboardEvent): void {
  const { target, key } = event;
  if (key !== "Enter" || !(target instanceof HTMLInputElement)) return;
  if (!target.classList.contains("label")) return;
  event.preventDefault();
  findAddButton(target)?.click();
}

// The pages of the editor do not load data.js, so this script closes the menus.
closeDrops();
addRows();
moveRows();
suggestRecords();
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-editor]")) {
  void new DefinitionEditor(form);
}
