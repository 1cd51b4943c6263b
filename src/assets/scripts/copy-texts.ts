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
    button.textContent = "⧉";
    button.setAttribute("aria-label", `Copy ${text}`);
    button.addEventListener("click", () => void copy(button, text, "✓"));
    short.after(button);
  }
}

async function copy(button: HTMLButtonElement, text: string, done: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = done;
  setTimeout(() => (button.textContent = before), 1500);
}
