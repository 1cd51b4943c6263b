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
