import { incompleteText } from "./language/incomplete-inputs.ts";

/**
 * Stops a form in which a date, a time or a number is incomplete. Browsers send such inputs as blank, so saving would
 * delete the stored value. Without scripts, the browser itself asks for a valid value.
 */
export function rejectIncompleteInputs(): void {
  // The listeners of forms that scripts send run later, and do not run for an incomplete form.
  document.addEventListener(
    "submit",
    (event) => {
      const { target } = event;
      if (!(target instanceof HTMLFormElement)) return;
      const inputs = [...target.querySelectorAll<HTMLInputElement>("input")].filter(isIncomplete);
      const hidden = inputs.filter((input) => !input.checkVisibility());
      for (const input of hidden) input.value = "";
      const [first] = inputs.filter((input) => !hidden.includes(input));
      if (!first) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      for (const input of inputs) showError(input);
      first.focus();
    },
    { capture: true },
  );
  document.addEventListener(
    "invalid",
    (event) => {
      const { target } = event;
      if (!(target instanceof HTMLInputElement) || !isIncomplete(target)) return;
      // Replaces the browser's own message.
      event.preventDefault();
      showError(target);
      const selector = ["input", "select", "textarea"].map((name) => `${name}:invalid`).join();
      if (target.form?.querySelector(selector) === target) target.focus();
    },
    { capture: true },
  );
  for (const type of ["input", "change"])
    document.addEventListener(type, ({ target }) => {
      if (target instanceof HTMLInputElement && !isIncomplete(target)) removeError(target);
    });
}

/** Whether the browser cannot parse the entered text. */
export const isIncomplete = ({ validity, type }: HTMLInputElement): boolean =>
  type in incompleteText && validity.badInput;

/** Returns a text that asks for the value of an input. */
export const explainIncomplete = ({ type }: HTMLInputElement): string =>
  incompleteText[type as keyof typeof incompleteText];

const errorIdOf = (input: HTMLInputElement) => `${input.id || input.name}-incomplete`;

const errorOf = (input: HTMLInputElement) => document.getElementById(errorIdOf(input));

const describedBy = (input: HTMLInputElement) =>
  (input.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== "");

function showError(input: HTMLInputElement): void {
  input.setAttribute("aria-invalid", "true");
  if (errorOf(input)) return;
  const error = document.createElement("span");
  Object.assign(error, { id: errorIdOf(input), className: "error" });
  error.textContent = explainIncomplete(input);
  input.after(error);
  input.setAttribute("aria-describedby", [...describedBy(input), error.id].join(" "));
}

function removeError(input: HTMLInputElement): void {
  const error = errorOf(input);
  if (!error) return;
  error.remove();
  input.removeAttribute("aria-invalid");
  const others = describedBy(input).filter((id) => id !== error.id);
  if (others.length > 0) input.setAttribute("aria-describedby", others.join(" "));
  else input.removeAttribute("aria-describedby");
}
