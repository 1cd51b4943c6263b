const dropped = () => document.querySelectorAll<HTMLDetailsElement>("details.drop[open]");

/** What drops down closes with Escape, and when something else is pressed. */
export function closeDrops(): void {
  document.addEventListener("click", (event) => {
    for (const drop of dropped()) {
      if (!(event.target instanceof Node && drop.contains(event.target))) drop.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const drop of dropped()) {
      drop.open = false;
      drop.querySelector("summary")?.focus();
    }
  });
}
