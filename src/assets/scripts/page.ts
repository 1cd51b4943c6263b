/** Choices that depend on each other: none has to be made twice. */
export function choose(): void {
  filterAtOnce();
  for (const group of document.querySelectorAll<HTMLElement>("fieldset:has(> .only)"))
    follow(group);
  for (const box of document.querySelectorAll<HTMLInputElement>("input[data-filter]")) find(box);
}

/** A filter shows what was chosen at once; its button is for what is typed. */
function filterAtOnce(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-at-once]")) {
    for (const select of form.querySelectorAll("select")) {
      select.addEventListener("change", () => form.requestSubmit());
    }
  }
}

/** Ticking one of “only these” chooses it; choosing everything unticks them. */
function follow(group: HTMLElement): void {
  const radio = (value: string) =>
    group.querySelector<HTMLInputElement>(`input[type="radio"][name="scope"][value="${value}"]`);
  const boxes = group.querySelectorAll<HTMLInputElement>('.only input[name="resources"]');
  for (const box of boxes) {
    box.addEventListener("change", () => {
      const only = radio("only");
      if (box.checked && only) only.checked = true;
    });
  }
  radio("all")?.addEventListener("change", () => {
    for (const box of boxes) box.checked = false;
  });
}

/** A box above a long list that leaves what has the text in it. */
function find(box: HTMLInputElement): void {
  box.hidden = false;
  const choices = document.querySelectorAll<HTMLElement>(
    `[data-filtered="${box.dataset["filter"] ?? ""}"]`,
  );
  box.addEventListener("input", () => {
    const text = box.value.trim().toLowerCase();
    for (const each of choices) {
      each.hidden = !(each.textContent ?? "").toLowerCase().includes(text);
    }
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}

const icon =
  '<svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3V2.5h-8v8H3"/></svg>';
const done =
  '<svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.5 3.5L13 4.5"/></svg>';

/** Buttons that copy the text of the element that they name; ids that are shown short get one of their own. */
export function copyTexts(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const source = document.getElementById(button.dataset["copy"] ?? "");
      void copy(button, source?.textContent ?? "", "Copied");
    });
  }
  for (const short of document.querySelectorAll<HTMLElement>("[data-copy-text]")) {
    const text = short.dataset["copyText"] ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.innerHTML = icon;
    button.setAttribute("aria-label", `Copy ${text}`);
    button.addEventListener("click", () => void copy(button, text, done));
    short.after(button);
  }
}

/** `copied` is one of the marks above, or a word. */
async function copy(button: HTMLButtonElement, text: string, copied: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  const before = button.innerHTML;
  button.innerHTML = copied;
  setTimeout(() => (button.innerHTML = before), 1500);
}

/** Tells the server the time zone of this browser, so that the next page is written in it. */
export function tellZone(): void {
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const cookie = `found_zone=${zone}`;
  if (document.cookie.split("; ").includes(cookie)) return;
  document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax; secure`;
}

/** A little help where scripts run; every page does its work without. */


tellZone();
choose();
copyTexts();

// Indexing goes on by itself: the page looks again.
if (document.querySelector("progress[data-refresh]")) setTimeout(() => location.reload(), 2000);

const dropped = () => document.querySelectorAll<HTMLDetailsElement>("details.drop[open]");

/** What drops down closes with Escape, and when something else is pressed. */
export function closeDrops(): void {
  document.addEventListener("click", (event) => {
    for (const drop of dropped()) {
      if (!(event.target instanceof Node && drop.contains(event.target))) drop.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const drop of dropped()) {
      drop.open = false;
      drop.querySelector("summary")?.focus();
    }
  });
}
