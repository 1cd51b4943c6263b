/**
 * Warns before the member leaves a page with unsaved changes. Forms with `data-warn` count as changed after an input,
 * after a button that changed them, and when they are rendered again with errors.
 */
export function warnBeforeLeaving(): void {
  const unsaved = new Set<HTMLFormElement>();
  let submitted: HTMLFormElement | undefined;
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-warn]")) {
    if (form.dataset["warn"] === "unsaved" || form.querySelector('[aria-invalid="true"]'))
      unsaved.add(form);
  }
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof Element && target.closest<HTMLFormElement>("form[data-warn]");
    if (form) unsaved.add(form);
  });
  // The listeners of the forms run first, so this knows whether a script sends the form.
  document.addEventListener("submit", ({ target, submitter, defaultPrevented }) => {
    if (!(target instanceof HTMLFormElement) || target.dataset["warn"] === undefined) return;
    if (!defaultPrevented) submitted = target;
    else if (!(submitter instanceof HTMLButtonElement && submitter.value === "check"))
      unsaved.add(target);
  });
  addEventListener("beforeunload", (event) => {
    const isLost = [...unsaved].some((form) => form !== submitted);
    // After a download or a failed request, the page still contains the form.
    submitted = undefined;
    if (isLost) event.preventDefault();
  });
}
