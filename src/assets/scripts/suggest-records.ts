const pauseMs = 200;

interface Suggestions {
  items: { label: string }[];
}

/** Suggests records while the member types in an input for a reference. */
export function suggestRecords(): void {
  let timer = 0;
  let lastText = "";
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const path = target.dataset["records"];
    if (path === undefined) return;
    const text = target.value.trim();
    clearTimeout(timer);
    if (text === "" || text === lastText) return;
    timer = setTimeout(() => {
      lastText = text;
      void showSuggestions(target, `${path}?${new URLSearchParams({ q: text }).toString()}`);
    }, pauseMs);
  });
}

async function showSuggestions(input: HTMLInputElement, url: string): Promise<void> {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  const list = input.nextElementSibling;
  if (!response.ok || !(list instanceof HTMLDataListElement)) return;
  const { items } = (await response.json()) as Suggestions;
  list.replaceChildren(
    ...items.map(({ label }) => Object.assign(document.createElement("option"), { value: label })),
  );
  // An added row is a copy, whose list has the ID of the original.
  list.id = `${input.id}-records`;
  input.setAttribute("list", list.id);
}
