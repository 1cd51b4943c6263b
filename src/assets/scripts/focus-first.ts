/** Focuses the first input of a new item. On phones, the keyboard would cover the form. */
export function focusFirstInput(): void {
  const form = document.querySelector<HTMLFormElement>("form.item[data-new]");
  if (!form || matchMedia("(pointer: coarse)").matches || location.hash !== "") return;
  const selector = ["input:not([type=hidden])", "select", "textarea"].join();
  form.querySelector<HTMLElement>(selector)?.focus();
}
