/**
 * Selects the fields of a view when the member chooses its items. After another choice, selects the earlier fields
 * again.
 */
export function selectFieldsOfView(): void {
  const source = document.querySelector<HTMLInputElement>("input[data-view-fields]");
  const form = source?.form;
  if (!source || !form) return;
  const fieldsByView = JSON.parse(source.dataset["viewFields"] ?? "{}") as Record<string, string[]>;
  const fieldsOf = (items: string) =>
    items.startsWith("view:") ? fieldsByView[items.slice("view:".length)] : undefined;
  const boxes = [...form.querySelectorAll<HTMLInputElement>('input[name="fields"]')];
  const listSelected = () => boxes.filter(({ checked }) => checked).map(({ value }) => value);
  let earlier = listSelected();
  form.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== "items") return;
    const [before, after] = [fieldsOf(source.value), fieldsOf(target.value)];
    if (!before) earlier = listSelected();
    source.value = target.value;
    if (!before && !after) return;
    const selected = after ?? earlier;
    const notice = form.querySelector<HTMLElement>("[data-fields-follow]");
    if (notice) notice.textContent = after ? (notice.dataset["fieldsFollow"] ?? "") : "";
    for (const box of boxes) box.checked = selected.includes(box.value);
  });
}
