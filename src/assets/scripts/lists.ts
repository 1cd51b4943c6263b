/** Buttons that give a table of line items a row more, from its template. */
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

/** The number that stands in a template for that of its row. */
const drawn = "999";

function addRow(body: HTMLTableSectionElement, template: HTMLTemplateElement): void {
  const index = body.rows.length;
  const added = template.content.firstElementChild?.cloneNode(true);
  if (!(added instanceof HTMLElement)) return;
  for (const element of added.querySelectorAll<HTMLElement>("[name], [id], [aria-label]")) {
    for (const name of ["name", "id", "aria-label"]) {
      const value = element.getAttribute(name);
      if (value === null) continue;
      const place = name === "aria-label" ? index + 1 : index;
      element.setAttribute(name, value.replace(drawn, String(place)));
    }
  }
  body.append(added);
  added.querySelector<HTMLElement>("input, select, textarea")?.focus();
}

const stillness = 350;

/** What is found shows while the search is written; Enter and the button do the same without. */
export function findAsWritten(): void {
  const form = document.querySelector<HTMLFormElement>("form.find");
  const box = form?.querySelector<HTMLInputElement>("input[type=search]");
  if (!form || !box) return;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const find = async () => {
    asked += 1;
    const number = asked;
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) {
      if (typeof value === "string" && value !== "") address.searchParams.append(name, value);
    }
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Signed out meanwhile: the browser itself is told.
    if (!page.getElementById("found")) return location.assign(address);
    if (number !== asked) return undefined;
    for (const id of ["found", "downloads"]) {
      document.getElementById(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
    }
    return history.replaceState(null, "", address);
  };
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void find(), stillness);
  });
}

/** A download tells how far it is. */
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
  bar.setAttribute("aria-label", "Download");
  status.replaceChildren("Downloading… ", bar);
  const answer = await fetch(link.href);
  if (!answer.ok || !answer.body) {
    status.textContent = ((await answer.json()) as { detail: string }).detail;
    return;
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = answer.body.getReader();
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    parts.push(part.value);
    bar.value += part.value.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);
  }
  save(new Blob(parts), answer.headers.get("Content-Disposition") ?? "");
  status.textContent = "Downloaded.";
}

function save(content: Blob, disposition: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = /filename="([^"]+)"/.exec(disposition)?.[1] ?? "download";
  anchor.click();
  URL.revokeObjectURL(address);
}

const mostFailures = 5;
const pause = 2000;

/** An import goes on by itself, step by step, until all is written; the button is for when it cannot. */
export function continueImport(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-continue]");
  if (form) void goOn(form, 0);
}

async function goOn(form: HTMLFormElement, failures: number): Promise<void> {
  if (failures > mostFailures) return;
  const page = await nextPage(form).catch(() => undefined);
  const main = page?.querySelector("main");
  if (!main?.querySelector("form")) {
    setTimeout(() => void goOn(form, failures + 1), pause * (failures + 1));
    return;
  }
  document.title = page?.title ?? "";
  document.querySelector("main")?.replaceWith(main);
  const next = main.querySelector<HTMLFormElement>("form[data-continue]");
  if (next) await goOn(next, 0);
  else main.focus();
}

async function nextPage(form: HTMLFormElement): Promise<Document> {
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form) });
  if (answer.status === 429 || answer.status >= 500) throw new Error(String(answer.status));
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
