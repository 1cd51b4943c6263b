import { pageText } from "./language/page.ts";

/** Says below the form of a new credential what the present choices let it do. */
export function summarizeAccess(): void {
  const summary = document.querySelector<HTMLElement>("[data-access-summary]");
  const form = summary?.closest("form");
  const [rights, places] = summary?.querySelectorAll("p") ?? [];
  if (!summary || !form || !rights || !places) return;
  const checked = (name: string) => [
    ...form.querySelectorAll<HTMLInputElement>(`input[name="${name}"]:checked`),
  ];
  const purposes = JSON.parse(summary.dataset["purposes"] ?? "{}") as Record<string, string>;
  const update = () => {
    const [purpose] = checked("purpose");
    const allowed =
      purpose?.value === "custom"
        ? checked("permissions").map(nameOf).join(pageText.separator)
        : (purposes[purpose?.value ?? ""] ?? "");
    const isEverything = checked("scope").some(({ value }) => value === "all");
    const selected = checked(isEverything ? "scope" : "resources").map(nameOf);
    const isComplete = allowed !== "" && selected.length > 0;
    rights.textContent = isComplete ? allowed : (summary.dataset["accessSummary"] ?? "");
    places.hidden = !isComplete;
    places.querySelector("span")?.replaceChildren(selected.join(pageText.separator));
  };
  summary.hidden = false;
  form.addEventListener("change", update);
  // A browser that restores the page restores its choices too.
  addEventListener("pageshow", update);
}

/** The label of a choice without its hint. */
const nameOf = (input: HTMLInputElement): string =>
  input.closest("label")?.querySelector("span")?.firstChild?.textContent?.trim() ?? "";
