import { pageText } from "./language/page.ts";

/** Describes the access that the current choices would give a new credential, below its form. */
export function summarizeAccess(): void {
  const summary = document.querySelector<HTMLElement>("[data-access-summary]");
  const form = summary?.closest("form");
  const [rights, places] = summary?.querySelectorAll("p") ?? [];
  if (!summary || !form || !rights || !places) return;
  const page = summarizePageAccess(form, summary);
  const checked = (name: string) => [
    ...form.querySelectorAll<HTMLInputElement>(`input[name="${name}"]:checked`),
  ];
  const purposes = JSON.parse(summary.dataset["purposes"] ?? "{}") as Record<string, Named>;
  // A sentence at the top describes the choices that the page had when it opened.
  const sentence = document.querySelector<HTMLElement>("[data-selection-summary] > p[hidden]");
  const update = () => {
    const [purpose] = checked("purpose");
    const granted =
      purpose?.value === "custom"
        ? checked("permissions").map((input): [string, string] => [input.value, nameOf(input)])
        : Object.entries(purposes[purpose?.value ?? ""] ?? {});
    const isEverything = checked("scope").some(({ value }) => value === "all");
    const selected = checked(isEverything ? "scope" : "resources");
    const allowed = granted.filter(
      ([permission]) => isEverything || selected.some(({ value }) => appliesTo(permission, value)),
    );
    const isComplete = allowed.length > 0 && selected.length > 0;
    rights.textContent = isComplete
      ? allowed.map(([, name]) => name).join(pageText.separator)
      : (summary.dataset["accessSummary"] ?? "");
    places.hidden = !isComplete;
    places.querySelector("span")?.replaceChildren(selected.map(nameOf).join(pageText.separator));
    page?.update(isComplete, isEverything);
    summary.hidden = sentence?.hidden === true;
  };
  update();
  form.addEventListener("change", update);
  page?.originsInput.addEventListener("input", update);
  // A browser that restores the page also restores its choices.
  addEventListener("pageshow", update);
}

/**
 * Describes the origins, and warns about choices that do not suit a credential for a web page. When a member chooses such
 * a purpose, opens the input of the origins and selects single forms.
 */
function summarizePageAccess(form: HTMLFormElement, summary: HTMLElement) {
  const originsInput = form.querySelector<HTMLTextAreaElement>("textarea[name=origins]");
  const [, , origins, noOrigin, everything] = summary.querySelectorAll("p");
  if (!originsInput || !origins || !noOrigin || !everything) return undefined;
  const pagePurposes = (summary.dataset["pagePurposes"] ?? "").split(" ");
  const isForPage = () =>
    pagePurposes.includes(
      form.querySelector<HTMLInputElement>("input[name=purpose]:checked")?.value ?? "",
    );
  form.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== "purpose" || !isForPage()) return;
    const details = originsInput.closest("details");
    if (details) details.open = true;
    if (!form.querySelector("input[name=scope]:checked"))
      form.querySelector<HTMLInputElement>("input[name=scope][value=only]")?.click();
  });
  return {
    originsInput,
    update(isComplete: boolean, isEverything: boolean) {
      const allowedOrigins = originsInput.value.split(/[\s,]+/).filter(Boolean);
      origins.hidden = !isComplete || allowedOrigins.length === 0;
      origins.querySelector("span")?.replaceChildren(allowedOrigins.join(pageText.separator));
      noOrigin.hidden = !isForPage() || allowedOrigins.length > 0;
      everything.hidden = !isForPage() || !isEverything;
    },
  };
}

/** Names by permission. */
type Named = Record<string, string>;

/** Whether a permission has an effect in an app or form. */
function appliesTo(permission: string, resource: string): boolean {
  if (permission.startsWith("records:")) return resource.startsWith("app:");
  return !permission.startsWith("submissions:") || resource.startsWith("form:");
}

/** Returns the label of a choice without its hint. */
const nameOf = (input: HTMLInputElement): string =>
  input.closest("label")?.querySelector("span")?.firstChild?.textContent?.trim() ?? "";
