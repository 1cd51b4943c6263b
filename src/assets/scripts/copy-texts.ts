/** Buttons that copy the text of the element that they name. */
export function copyTexts(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const source = document.getElementById(button.dataset["copy"] ?? "");
  await navigator.clipboard.writeText(source?.textContent ?? "");
  button.textContent = "Copied";
}
