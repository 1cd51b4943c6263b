const stillness = 350;

/** What is found shows while the search is written; Enter and the button do the same without. */
export function findAsWritten(): void {
  const form = document.querySelector<HTMLFormElement>("form.find");
  const box = form?.querySelector<HTMLInputElement>("input[type=search]");
  if (!form || !box) return;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const find = async () => {
    asked += 1;
    const number = asked;
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) {
      if (typeof value === "string" && value !== "") address.searchParams.append(name, value);
    }
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Signed out meanwhile: the browser itself is told.
    if (!page.getElementById("found")) return location.assign(address);
    if (number !== asked) return undefined;
    for (const id of ["found", "downloads"]) {
      document.getElementById(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
    }
    return history.replaceState(null, "", address);
  };
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void find(), stillness);
  });
}
