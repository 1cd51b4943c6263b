import { completeNames } from "./complete-names";
import { dragFields } from "./drag-fields";
import { focusAfter, nextAdd, openPaths, reopen, takeOver } from "./editor-page";

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
