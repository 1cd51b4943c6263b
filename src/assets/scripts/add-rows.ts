/** Buttons that give a table of line items a row more, like the last empty one. */
export function addRows(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-add-row]")) {
    const body = document.getElementById(button.dataset["addRow"] ?? "");
    if (!(body instanceof HTMLTableSectionElement)) continue;
    button.hidden = false;
    button.addEventListener("click", () => addRow(body));
  }
}

function addRow(body: HTMLTableSectionElement): void {
  const index = body.rows.length;
  const added = body.rows[index - 1]?.cloneNode(true);
  if (!(added instanceof HTMLElement)) return;
  const inputs = added.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]");
  for (const input of inputs) {
    input.name = input.name.replace(/\[\d+\]/, `[${index}]`);
    input.value = "";
    const label = input.getAttribute("aria-label") ?? "";
    input.setAttribute("aria-label", label.replace(/\d+$/, String(index + 1)));
  }
  body.append(added);
  inputs[0]?.focus();
}
