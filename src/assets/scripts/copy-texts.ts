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
