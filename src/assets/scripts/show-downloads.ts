/** A download tells how far it is. */
export function showDownloads(): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const link = target instanceof Element && target.closest<HTMLAnchorElement>("a[data-rows]");
    const status = document.getElementById("download");
    if (!link || !status) return;
    event.preventDefault();
    void download(link, status);
  });
}

async function download(link: HTMLAnchorElement, status: HTMLElement): Promise<void> {
  const bar = document.createElement("progress");
  bar.max = Math.max(1, Number(link.dataset["rows"]));
  bar.value = 0;
  bar.setAttribute("aria-label", "Download");
  status.replaceChildren("Downloading… ", bar);
  const answer = await fetch(link.href);
  if (!answer.ok || !answer.body) {
    status.textContent = ((await answer.json()) as { detail: string }).detail;
    return;
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = answer.body.getReader();
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    parts.push(part.value);
    bar.value += part.value.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);
  }
  save(new Blob(parts), answer.headers.get("Content-Disposition") ?? "");
  status.textContent = "Downloaded.";
}

function save(content: Blob, disposition: string): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = /filename="([^"]+)"/.exec(disposition)?.[1] ?? "download";
  anchor.click();
  URL.revokeObjectURL(address);
}
