const stillness = 400;

/** A formula is checked while it is written; what is said stands where its errors stand. */
export function checkFormulas(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>("[data-check]")) {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => void check(input), stillness);
    });
  }
}

async function check(input: HTMLInputElement): Promise<void> {
  const verdict = document.getElementById(input.getAttribute("aria-describedby") ?? "");
  if (!input.form || !verdict) return;
  const answer = await fetch(input.dataset["check"] ?? "", {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new FormData(input.form),
  });
  const { errors = [] } = (await answer.json()) as { errors?: { reason: string }[] };
  verdict.textContent =
    errors.length === 0 ? "The formula is right." : errors.map(({ reason }) => reason).join(" ");
  verdict.className = errors.length === 0 ? "muted" : "error";
}
