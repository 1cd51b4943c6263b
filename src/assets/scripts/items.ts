import { explainIncomplete, isIncomplete } from "./incomplete-inputs.ts";
import { itemsText, type ProblemDocument, reasonsOf } from "./language/items.ts";

/** Enhances the table of items: selects a whole page, counts the selection, and edits simple cells in place. */

/** Shows the check box that selects the page, and the number of selected items. */
export function selectRows(): void {
  showPageTicks();
  const resultArea = document.getElementById("found");
  // A search replaces the results in the same element.
  if (resultArea) new MutationObserver(showPageTicks).observe(resultArea, { childList: true });
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const form = target.closest<HTMLFormElement>("form.pick");
    if (!form) return;
    const boxes = form.querySelectorAll<HTMLInputElement>('input[name="ids"]');
    if ("tickAll" in target.dataset) for (const box of boxes) box.checked = target.checked;
    countSelected(form, [...boxes]);
  });
}

const pageTickOf = (root: ParentNode) =>
  root.querySelector<HTMLInputElement>("input[data-tick-all]");

function showPageTicks(): void {
  const tick = pageTickOf(document);
  if (tick) tick.hidden = false;
}

function countSelected(form: HTMLFormElement, boxes: readonly HTMLInputElement[]): void {
  const count = boxes.filter(({ checked }) => checked).length;
  const pageTick = pageTickOf(form);
  if (pageTick) {
    pageTick.checked = count === boxes.length;
    pageTick.indeterminate = count > 0 && count < boxes.length;
  }
  const all = form.querySelector<HTMLInputElement>('input[name="all"]');
  const selected = count > 0 ? itemsText.selected(count) : "";
  const text = all?.checked ? itemsText.allSelected : selected;
  const output = form.querySelector("[data-selected]");
  if (output) output.textContent = text;
}

type Control = HTMLInputElement | HTMLSelectElement;

/**
 * The parts of an item's edit page: the input of one field, and the hidden inputs with the state that the edit is based
 * on.
 */
interface EditPage {
  control: Control;
  label: string;
  version: string;
  zone: string;
}

/** A double click on a cell, or F2 in a row, edits a cell in place. */
export function editCells(): void {
  document.addEventListener("dblclick", ({ target }) => {
    const cell = target instanceof Element && target.closest<HTMLTableCellElement>("[data-edit]");
    if (cell) void editCell(cell);
  });
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const row = key === "F2" && target instanceof Element && target.closest("tr[data-item]");
    const cell = row && row.querySelector<HTMLTableCellElement>("[data-edit]");
    if (!cell) return;
    event.preventDefault();
    void editCell(cell);
  });
}

async function loadEditPage(path: string, key: string): Promise<EditPage | undefined> {
  const response = await fetch(`${path}?edit`, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const form = page.querySelector<HTMLFormElement>("form.item");
  const control = form?.querySelector<Control>(`[name="${key}"]`);
  const hidden = (name: string) =>
    form?.querySelector<HTMLInputElement>(`input[name="${name}"]`)?.value ?? "";
  if (!control) return undefined;
  const label = page.querySelector(`label[for="${control.id}"]`)?.firstChild?.textContent ?? key;
  return { control, label: label.trim(), version: hidden("$version"), zone: hidden("$zone") };
}

async function editCell(cell: HTMLTableCellElement): Promise<void> {
  const row = cell.closest<HTMLTableRowElement>("tr[data-item]");
  const path = row?.dataset["item"];
  const key = cell.dataset["edit"];
  if (!row || !path || !key || row.querySelector(".editing")) return;
  const page = await loadEditPage(path, key);
  if (!page) {
    report(itemsText.notEditable, true);
    return;
  }
  const { control, label } = page;
  const initial = control.value;
  const cellContent = [...cell.childNodes];
  control.removeAttribute("id");
  control.removeAttribute("aria-describedby");
  control.setAttribute("aria-label", label);
  cell.classList.add("editing");
  cell.replaceChildren(control);
  control.focus();
  let isDone = false;
  const finish = async (saves: boolean, nextKey?: string | null) => {
    if (isDone) return;
    isDone = true;
    const { value } = control;
    const isRejected = saves && control instanceof HTMLInputElement && isIncomplete(control);
    const isChanged = saves && !isRejected && value !== initial;
    cell.classList.remove("editing");
    cell.replaceChildren(...cellContent);
    if (isRejected) report(itemsText.notSaved(label, explainIncomplete(control)), true);
    if (isChanged) await save(row, key, value, initial, page);
    // Saving replaces the cells of the row.
    const next = nextKey && row.querySelector<HTMLTableCellElement>(`[data-edit="${nextKey}"]`);
    if (next) await editCell(next);
    else if (nextKey === null) row.querySelector<HTMLElement>("th a")?.focus();
  };
  control.addEventListener("keydown", (event) => {
    const { key: pressed, shiftKey } = event as KeyboardEvent;
    if (!["Enter", "Escape", "Tab"].includes(pressed)) return;
    event.preventDefault();
    if (pressed === "Enter" && control instanceof HTMLInputElement && isIncomplete(control))
      return report(itemsText.notSaved(label, explainIncomplete(control)), true);
    const cells = [...row.querySelectorAll<HTMLTableCellElement>("[data-edit]")];
    const next = cells[cells.indexOf(cell) + (shiftKey ? -1 : 1)];
    void finish(pressed !== "Escape", pressed === "Tab" ? (next?.dataset["edit"] ?? null) : null);
  });
  control.addEventListener("blur", () => void finish(true));
}

const maxAttempts = 3;

/** Saves the value, based on the version that the member saw. Keeps concurrent changes to other fields. */
async function save(
  row: HTMLTableRowElement,
  key: string,
  value: string,
  initial: string,
  seen: EditPage,
): Promise<void> {
  const path = row.dataset["item"] ?? "";
  let page = seen;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const body = new URLSearchParams({ $version: page.version, $zone: page.zone, [key]: value });
    const response = await fetch(path, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
    });
    if (response.ok) {
      await refresh(row);
      return report(itemsText.saved(seen.label));
    }
    const problem = (await response.json()) as ProblemDocument;
    if (response.status !== 412) {
      return report(itemsText.notSaved(seen.label, reasonsOf(problem)), true);
    }
    const current = await loadEditPage(path, key);
    const text = current && textOf(current.control);
    if (!current || current.control.value !== initial) {
      await refresh(row);
      const before = textOfValue(seen.control, initial);
      const ownText = textOfValue(seen.control, value);
      const change =
        text === undefined
          ? itemsText.gone(seen.label, ownText)
          : itemsText.changed(seen.label, before, text, ownText);
      return report(change, true);
    }
    page = current;
  }
  return report(itemsText.keepsChanging, true);
}

const textOf = (control: Control) => textOfValue(control, control.value);

/** Returns a value in words: the labels of its options if the field has options. */
function textOfValue(control: Control, value: string): string {
  if (control instanceof HTMLInputElement) return value;
  return [...control.options].find((option) => option.value === value)?.text ?? value;
}

/** Shows the row in its current state. */
async function refresh(row: HTMLTableRowElement): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const rows = page.querySelectorAll<HTMLTableRowElement>("tr[data-item]");
  const current = [...rows].find(({ dataset }) => dataset["item"] === row.dataset["item"]);
  if (current) row.replaceChildren(...current.childNodes);
  else row.classList.add("gone");
}

/** Shows the result above the table. */
function report(text: string, isFailure = false): void {
  const output = document.getElementById("cell-status");
  if (!output) return;
  output.textContent = text;
  output.className = isFailure ? "notice warn" : "said";
}
