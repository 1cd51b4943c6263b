/**
 * Opens the dialogs of buttons as modal dialogs, so that the focus cannot leave them. Without scripts, they are
 * popovers.
 */
export function openModally(): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const button = target instanceof Element ? target.closest("button[popovertarget]") : null;
    const dialog = document.getElementById(button?.getAttribute("popovertarget") ?? "");
    if (!button || !(dialog instanceof HTMLDialogElement)) return;
    event.preventDefault();
    if (button.getAttribute("popovertargetaction") === "hide") dialog.close();
    else dialog.showModal();
  });
}
