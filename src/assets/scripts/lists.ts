import { listText } from "./language/lists.ts";

/** Enables the buttons that add a row of line items from a template. */
export function addRows(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-add-row]")) {
    const key = button.dataset["addRow"] ?? "";
    const body = document.querySelector<HTMLTableSectionElement>(`#rows-${key} > tbody`);
    const template = document.querySelector<HTMLTemplateElement>(`#new-${key}`);
    if (!body || !template) continue;
    button.hidden = false;
    button.addEventListener("click", () => addRow(body, template));
  }
}

/** The placeholder for the row's index in a template. */
const placeholderIndex = "999";

function addRow(body: HTMLTableSectionElement, template: HTMLTemplateElement): void {
  const index = body.rows.length;
  const row = template.content.firstElementChild?.cloneNode(true);
  if (!(row instanceof HTMLElement)) return;
  for (const element of row.querySelectorAll<HTMLElement>("[name], [id], [aria-label]")) {
    for (const name of ["name", "id", "aria-label"]) {
      const value = element.getAttribute(name);
      if (value === null) continue;
      const number = name === "aria-label" ? index + 1 : index;
      element.setAttribute(name, value.replace(placeholderIndex, String(number)));
    }
  }
  body.append(row);
  row.querySelector<HTMLElement>("input, select, textarea")?.focus();
}

/** Moves rows of line items and columns of a list in place. Without scripts, the server moves them. */
export function moveRows(): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const button = target instanceof Element && target.closest<HTMLElement>("button[data-move]");
    const row = button && button.closest("tr, [data-movable]");
    if (!row) return;
    event.preventDefault();
    const isUp = button.dataset["move"] === "up";
    if (isUp) row.previousElementSibling?.before(row);
    else row.nextElementSibling?.after(row);
    button.focus();
    row.closest("form")?.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

const debounceMs = 350;

/** Shows the calculated fields while the member types. */
export function showTotals(): void {
  const totals = document.querySelector<HTMLElement>("[data-calculated]");
  const form = totals?.closest("form");
  if (!totals || !form) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let requestCount = 0;
  const calculate = async () => {
    requestCount += 1;
    const number = requestCount;
    const body = new FormData(form);
    body.set("$preview", "1");
    const response = await fetch(form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const rendered = page.getElementById(totals.id);
    if (rendered && number === requestCount) totals.replaceChildren(...rendered.childNodes);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void calculate().catch(() => undefined), debounceMs);
  });
}

/** Shows results while the member types a search. Without scripts, Enter and the button start the search. */
export function findAsWritten(): void {
  const form = document.querySelector<HTMLFormElement>("form.find");
  const box = form?.querySelector<HTMLInputElement>("input[type=search]");
  if (!form || !box) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let requestCount = 0;
  const find = async () => {
    requestCount += 1;
    const number = requestCount;
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) {
      if (typeof value === "string" && value !== "") address.searchParams.append(name, value);
    }
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    // The session has ended, so the browser opens the address and shows the sign-in page.
    if (!page.getElementById("found")) return location.assign(address);
    if (number !== requestCount) return undefined;
    for (const id of ["found", "tools", "downloads"]) {
      document.getElementById(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
    }
    return history.replaceState(null, "", address);
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void find().catch(() => undefined), debounceMs);
  });
}

/** Shows the progress of downloads. */
export function showDownloads(): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const link = target instanceof Element && target.closest<HTMLAnchorElement>("a[data-rows]");
    const status = document.getElementById("download");
    if (!link || !status) return;
    event.preventDefault();
    void download(link, status);
  });
}

async function download(link: HTMLAnchorElement, status: HTMLElement): Promise<void> {
  const bar = document.createElement("progress");
  bar.max = Math.max(1, Number(link.dataset["rows"]));
  bar.value = 0;
  bar.setAttribute("aria-label", listText.download);
  status.replaceChildren(listText.downloading, bar);
  const response = await fetch(link.href);
  if (!response.ok || !response.body) {
    status.textContent = ((await response.json()) as { detail: string }).detail;
    return;
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    parts.push(part.value);
    bar.value += part.value.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);
  }
  save(new Blob(parts), response.headers.get("Content-Disposition") ?? "");
  status.textContent = listText.downloaded;
}

function save(content: Blob, disposition: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = /filename="([^"]+)"/.exec(disposition)?.[1] ?? "download";
  anchor.click();
  URL.revokeObjectURL(address);
}

const maxFailures = 5;
const retryDelayMs = 2000;

/** Runs all steps of an import. The button stays for browsers without scripts and after repeated failures. */
export function continueImport(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-continue]");
  if (form) void runImportStep(form, 0);
}

async function runImportStep(form: HTMLFormElement, failures: number): Promise<void> {
  if (failures > maxFailures) return;
  const page = await nextPage(form).catch(() => undefined);
  const main = page?.querySelector("main");
  if (!main?.querySelector("form, [data-done]")) {
    setTimeout(() => void runImportStep(form, failures + 1), retryDelayMs * (failures + 1));
    return;
  }
  document.title = page?.title ?? "";
  document.querySelector("main")?.replaceWith(main);
  const next = main.querySelector<HTMLFormElement>("form[data-continue]");
  if (next) await runImportStep(next, 0);
  else main.focus();
}

async function nextPage(form: HTMLFormElement): Promise<Document> {
  const response = await fetch(form.action, { method: "POST", body: new FormData(form) });
  if (response.status === 429 || response.status >= 500) throw new Error(String(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html");
}
