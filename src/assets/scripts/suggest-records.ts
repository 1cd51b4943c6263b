const pauseMs = 200;

interface Suggestions {
  items: { id: string; label: string }[];
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
    ...items.map(({ id, label }) => {
      const option = document.createElement("option");
      // A filter takes the ID, and shows the title next to it.
      if (input.dataset["recordIds"] === undefined) option.value = label;
      else Object.assign(option, { value: id, label });
      return option;
    }),
  );
  // An added row is a copy, so its list still has the ID of the original.
  list.id = `${input.id}-records`;
  input.setAttribute("list", list.id);
}
