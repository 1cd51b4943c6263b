/** Choices that depend on each other: none has to be made twice. */
export function choose(): void {
  filterAtOnce();
  for (const group of document.querySelectorAll<HTMLElement>("fieldset:has(> .only)"))
    follow(group);
  for (const box of document.querySelectorAll<HTMLInputElement>("input[data-filter]")) find(box);
}

/** A filter shows what was chosen at once; its button is for what is typed. */
function filterAtOnce(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-at-once]")) {
    for (const select of form.querySelectorAll("select")) {
      select.addEventListener("change", () => form.requestSubmit());
    }
  }
}

/** Ticking one of “only these” chooses it; choosing everything unticks them. */
function follow(group: HTMLElement): void {
  const radio = (value: string) =>
    group.querySelector<HTMLInputElement>(`input[type="radio"][name="scope"][value="${value}"]`);
  const boxes = group.querySelectorAll<HTMLInputElement>('.only input[name="resources"]');
  for (const box of boxes) {
    box.addEventListener("change", () => {
      const only = radio("only");
      if (box.checked && only) only.checked = true;
    });
  }
  radio("all")?.addEventListener("change", () => {
    for (const box of boxes) box.checked = false;
  });
}

/** A box above a long list that leaves what has the text in it. */
function find(box: HTMLInputElement): void {
  box.hidden = false;
  const choices = document.querySelectorAll<HTMLElement>(
    `[data-filtered="${box.dataset["filter"] ?? ""}"]`,
  );
  box.addEventListener("input", () => {
    const text = box.value.trim().toLowerCase();
    for (const each of choices) {
      each.hidden = !(each.textContent ?? "").toLowerCase().includes(text);
    }
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}
