/** What drops down closes with Escape, and when something else is pressed. */
export function closeDrops(): void {
  const drops = document.querySelectorAll<HTMLDetailsElement>("details.drop");
  if (drops.length === 0) return;
  document.addEventListener("click", (event) => {
    for (const drop of drops) {
      if (!(event.target instanceof Node && drop.contains(event.target))) drop.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const drop of drops) {
      if (!drop.open) continue;
      drop.open = false;
      drop.querySelector("summary")?.focus();
    }
  });
}
