/** What drops down closes with Escape, and when something else is pressed. */
export function closeDrops(): void {
  const open = () => document.querySelectorAll<HTMLDetailsElement>("details.drop[open]");
  document.addEventListener("click", (event) => {
    for (const drop of open()) {
      if (!(event.target instanceof Node && drop.contains(event.target))) drop.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const drop of open()) {
      drop.open = false;
      drop.querySelector("summary")?.focus();
    }
  });
}
