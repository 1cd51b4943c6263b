const mostFailures = 5;
const pause = 2000;

/** An import goes on by itself, step by step, until all is written; the button is for when it cannot. */
export function continueImport(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-continue]");
  if (form) void goOn(form, 0);
}

async function goOn(form: HTMLFormElement, failures: number): Promise<void> {
  if (failures > mostFailures) return;
  const page = await nextPage(form).catch(() => undefined);
  const main = page?.querySelector("main");
  if (!main?.querySelector("form")) {
    setTimeout(() => void goOn(form, failures + 1), pause * (failures + 1));
    return;
  }
  document.title = page?.title ?? "";
  document.querySelector("main")?.replaceWith(main);
  const next = main.querySelector<HTMLFormElement>("form[data-continue]");
  if (next) await goOn(next, 0);
  else main.focus();
}

async function nextPage(form: HTMLFormElement): Promise<Document> {
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form) });
  if (answer.status === 429 || answer.status >= 500) throw new Error(String(answer.status));
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
