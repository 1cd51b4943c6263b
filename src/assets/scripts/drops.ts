const openDrops = () => document.querySelectorAll<HTMLDetailsElement>("details.drop[open]");

/** Closes open menus on Escape and on clicks outside. A menu that asks for a name focuses it. */
export function closeDrops(): void {
  document.addEventListener("click", (event) => {
    for (const drop of openDrops()) {
      if (!(event.target instanceof Node && drop.contains(event.target))) drop.open = false;
    }
  });
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open) return;
      if (target.classList.contains("drop"))
        target.querySelector<HTMLElement>('input[name="name"]')?.focus();
    },
    { capture: true },
  );
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const drop of openDrops()) {
      drop.open = false;
      drop.querySelector("summary")?.focus();
    }
  });
}
