import { openModally } from "./dialogs.ts";
import { findAnything } from "./find-anything.ts";
import { rejectIncompleteInputs } from "./incomplete-inputs.ts";
import { pageText } from "./language/page.ts";
import { summarizeAccess } from "./summarize-access.ts";
import { warnBeforeLeaving } from "./unsaved-changes.ts";

/** Keeps dependent choices consistent. */
export function choose(): void {
  filterAtOnce();
  for (const group of document.querySelectorAll<HTMLElement>("fieldset:has(> .only)"))
    syncScope(group);
  for (const box of document.querySelectorAll<HTMLInputElement>("input[data-filter]"))
    filterChoices(box);
  summarizeSelection();
  summarizeAccess();
}

/** Hides the summary of a credential's access while the form has choices other than the described ones. */
function summarizeSelection(): void {
  const summary = document.querySelector<HTMLElement>("[data-selection-summary]");
  const form = document.querySelector<HTMLFormElement>("form.issue");
  const notice = summary?.querySelector("p");
  if (!summary || !form || !notice) return;
  const names = ["purpose", "permissions", "scope", "resources"];
  const choices = [...form.querySelectorAll("input")].filter(({ name }) => names.includes(name));
  const update = () => {
    const isChanged = choices.some(({ checked, defaultChecked }) => checked !== defaultChecked);
    for (const part of summary.querySelectorAll<HTMLElement>("p")) part.hidden = isChanged;
    notice.hidden = !isChanged;
  };
  form.addEventListener("change", update);
  // A browser that restores the page also restores its choices.
  addEventListener("pageshow", update);
}

/** Applies a filter when a selection changes. Only typed text needs the button. */
function filterAtOnce(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-at-once]")) {
    for (const select of form.querySelectorAll("select")) {
      select.addEventListener("change", () => form.requestSubmit());
    }
  }
}

/** Ticking a resource selects “Only these”. Selecting “Everything” unticks all resources. */
function syncScope(group: HTMLElement): void {
  const radio = (value: string) =>
    group.querySelector<HTMLInputElement>(`input[type="radio"][name="scope"][value="${value}"]`);
  const boxes = group.querySelectorAll<HTMLInputElement>('.only input[name="resources"]');
  for (const box of boxes) {
    box.addEventListener("change", () => {
      const onlyRadio = radio("only");
      if (box.checked && onlyRadio) onlyRadio.checked = true;
    });
  }
  radio("all")?.addEventListener("change", () => {
    for (const box of boxes) box.checked = false;
  });
}

/** Filters a long list by the text in the box above it. */
function filterChoices(box: HTMLInputElement): void {
  box.hidden = false;
  const choices = document.querySelectorAll<HTMLElement>(
    `[data-filtered="${box.dataset["filter"] ?? ""}"]`,
  );
  const menu = box.closest<HTMLDetailsElement>("details.drop");
  box.addEventListener("input", () => {
    const text = box.value.trim().toLowerCase();
    for (const choice of choices) {
      choice.hidden = !(choice.textContent ?? "").toLowerCase().includes(text);
    }
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const first = [...choices].find((choice) => !choice.hidden);
    if (menu && !event.isComposing && box.value.trim() !== "") first?.querySelector("a")?.click();
  });
  // A member who opens the menu by keyboard can type at once. On a phone, the keyboard would cover the menu.
  menu?.addEventListener("toggle", () => {
    if (menu.open && menu.querySelector("summary")?.matches(":focus-visible")) box.focus();
  });
}

const icon =
  '<svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3V2.5h-8v8H3"/></svg>';
const checkIcon =
  '<svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.5 3.5L13 4.5"/></svg>';

/** Enables the copy buttons, and adds one to each shortened id. */
export function copyTexts(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const source = document.getElementById(button.dataset["copy"] ?? "");
      void copy(button, source?.textContent ?? "", pageText.copied);
    });
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-copy-text]")) {
    const text = element.dataset["copyText"] ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.innerHTML = icon;
    button.setAttribute("aria-label", pageText.copy(text));
    button.addEventListener("click", () => void copy(button, text, checkIcon));
    element.after(button);
  }
}

/** Shows `confirmation`, an icon or a word, for a moment. */
async function copy(button: HTMLButtonElement, text: string, confirmation: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  const previous = button.innerHTML;
  button.innerHTML = confirmation;
  setTimeout(() => (button.innerHTML = previous), 1500);
}

/** Removes an error when its value changes. The summary stays until the next save. */
function clearErrorsOnChange(): void {
  document.addEventListener("input", ({ target }) => {
    const control = target instanceof Element && target.closest('[aria-invalid="true"]');
    if (!control) return;
    control.removeAttribute("aria-invalid");
    const descriptionIds = control.getAttribute("aria-describedby")?.split(" ") ?? [];
    for (const id of descriptionIds.filter((each) => each.endsWith("-wrong"))) {
      document.getElementById(id)?.replaceChildren();
      // The check boxes of a group share an error.
      for (const each of document.querySelectorAll(`[aria-describedby~="${CSS.escape(id)}"]`))
        each.removeAttribute("aria-invalid");
    }
  });
}

/** Sends the browser's time zone to the server in a cookie. The next page uses it. */
export function tellZone(): void {
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const cookie = `found_zone=${zone}`;
  if (document.cookie.split("; ").includes(cookie)) return;
  document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax; secure`;
}

/** Enhances every page. All pages also work without scripts. */

tellZone();
choose();
copyTexts();
openModally();
findAnything();
rejectIncompleteInputs();
warnBeforeLeaving();
clearErrorsOnChange();

// Reloads the page while indexing runs in the background.
if (document.querySelector("progress[data-refresh]")) setTimeout(() => location.reload(), 2000);
