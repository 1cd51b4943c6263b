// A little help where scripts run; every page does its work without.

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}

// Acts that cannot be undone are asked about first.
for (const form of document.querySelectorAll("form[data-confirm]")) {
  form.addEventListener("submit", (event) => {
    if (!confirm(form.dataset.confirm)) event.preventDefault();
  });
}

// A row of line items more, like the last empty one.
for (const button of document.querySelectorAll("button[data-add-row]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const rows = document.getElementById(button.dataset.addRow);
    const last = rows.rows[rows.rows.length - 1];
    const added = last.cloneNode(true);
    const index = rows.rows.length;
    for (const input of added.querySelectorAll("[name]")) {
      input.name = input.name.replace(/\[\d+\]/, `[${index}]`);
      input.value = "";
      input.setAttribute("aria-label", input.getAttribute("aria-label").replace(/\d+$/, index + 1));
    }
    rows.append(added);
    added.querySelector("[name]").focus();
  });
}

// A formula is checked while it is written.
for (const input of document.querySelectorAll("[data-check]")) {
  const told = document.getElementById(input.getAttribute("aria-describedby"));
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const answer = await fetch(input.dataset.check, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new FormData(input.form),
      });
      const { errors = [] } = await answer.json();
      told.textContent =
        errors.length === 0
          ? "The formula is right."
          : errors.map(({ reason }) => reason).join(" ");
      told.className = errors.length === 0 ? "muted" : "error";
    }, 400);
  });
}

// A download tells how far it is.
for (const link of document.querySelectorAll("a[data-rows]")) {
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    const told = document.getElementById("download");
    const bar = document.createElement("progress");
    bar.max = Math.max(1, Number(link.dataset.rows));
    bar.value = 0;
    bar.setAttribute("aria-label", "Download");
    told.replaceChildren("Downloading… ", bar);
    const answer = await fetch(link.href);
    if (!answer.ok) {
      told.textContent = (await answer.json()).detail;
      return;
    }
    const parts = [];
    for (const reader = answer.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      bar.value += value.reduce((lines, byte) => lines + (byte === 10), 0);
    }
    const address = URL.createObjectURL(new Blob(parts));
    const saved = document.createElement("a");
    saved.href = address;
    saved.download = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition"))[1];
    saved.click();
    URL.revokeObjectURL(address);
    told.textContent = "Downloaded.";
  });
}

// Indexing goes on by itself: the page looks again.
if (document.querySelector("progress[data-refresh]")) setTimeout(() => location.reload(), 2000);
