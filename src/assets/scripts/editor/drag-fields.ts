/** Fields are reordered by their grips; the form's order is the order of the fields. */
export function dragFields(form: HTMLFormElement, moved: () => void): void {
  let dragged: HTMLElement | undefined;
  form.addEventListener("pointerdown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.classList.contains("grip")) return;
    dragged = target.closest<HTMLElement>("li.def") ?? undefined;
    if (!dragged) return;
    event.preventDefault();
    form.setPointerCapture(event.pointerId);
    dragged.classList.add("dragged");
  });
  form.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const { parentElement } = dragged;
    const over = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((each) => each !== dragged && each.parentElement === parentElement);
    if (!over) return;
    const { top, height } = over.getBoundingClientRect();
    if (event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  const drop = () => {
    if (!dragged) return;
    dragged.classList.remove("dragged");
    dragged = undefined;
    moved();
  };
  form.addEventListener("pointerup", drop);
  form.addEventListener("pointercancel", drop);
}
