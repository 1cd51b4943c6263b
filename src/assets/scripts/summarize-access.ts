import { pageText } from "./language/page.ts";

/** Describes the access that the current choices would give a new credential, below its form. */
export function summarizeAccess(): void {
  const summary = document.querySelector<HTMLElement>("[data-access-summary]");
  const form = summary?.closest("form");
  const [rights, places] = summary?.querySelectorAll("p") ?? [];
  if (!summary || !form || !rights || !places) return;
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
    summary.hidden = sentence?.hidden === true;
  };
  update();
  form.addEventListener("change", update);
  // A browser that restores the page also restores its choices.
  addEventListener("pageshow", update);
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
