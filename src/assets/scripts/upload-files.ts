import { type ProblemDocument, reasonsOf, uploadText } from "./language/items.ts";

interface Uploaded {
  id: string;
  name: string;
}

/** Uploads files as soon as they are chosen or dropped. The form then sends their IDs instead of their bytes. */
export function uploadFiles(): void {
  // Pages that are loaded over plain HTTP cannot compute digests. On such pages, the form sends the files.
  if (!("subtle" in crypto)) return;
  for (const field of document.querySelectorAll<HTMLElement>("[data-upload]")) {
    const input = field.querySelector<HTMLInputElement>('input[type="file"]');
    if (!input) continue;
    let queue = Promise.resolve();
    const upload = (files: readonly File[]) => {
      for (const file of files) {
        const row = addRow(field, file.name);
        queue = queue.then(() => uploadOne(field, file, row));
      }
    };
    input.addEventListener("change", () => {
      upload([...(input.files ?? [])]);
      input.value = "";
    });
    acceptDrops(field, upload);
    waitForUploads(field);
  }
}

function acceptDrops(field: HTMLElement, upload: (files: readonly File[]) => void): void {
  const show = (isOver: boolean) => field.classList.toggle("dropping", isOver);
  field.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    show(true);
  });
  field.addEventListener("dragleave", () => show(false));
  field.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    show(false);
    upload([...event.dataTransfer.files]);
  });
}

/** Delays the form during an upload, because it would otherwise omit the file. */
function waitForUploads(field: HTMLElement): void {
  field.closest("form")?.addEventListener("submit", (event) => {
    const running = field.querySelector("progress");
    if (!running) return;
    event.preventDefault();
    running.closest("li")?.scrollIntoView({ block: "center" });
  });
}

async function uploadOne(
  field: HTMLElement,
  file: File,
  { row, progress, status }: ReturnType<typeof addRow>,
): Promise<void> {
  status.textContent = uploadText.uploading;
  try {
    const uploaded = await send(field, file, (share) => (progress.value = share));
    showUploaded(field, row, uploaded);
  } catch (error) {
    progress.remove();
    status.setAttribute("role", "alert");
    status.className = "error";
    status.textContent = error instanceof Error ? error.message : String(error);
    row.append(dismissButton(field, row, file.name));
  }
}

function dismissButton(field: HTMLElement, row: HTMLElement, name: string) {
  const button = make("button");
  Object.assign(button, {
    type: "button",
    className: "quiet little",
    textContent: uploadText.dismiss,
  });
  button.setAttribute("aria-label", uploadText.dismissFile(name));
  button.addEventListener("click", () => {
    row.remove();
    field.querySelector<HTMLInputElement>('input[type="file"]')?.focus();
  });
  return button;
}

function addRow(field: HTMLElement, name: string) {
  const [row, text, status] = [make("li"), make("span"), make("small")];
  const progress = make("progress");
  progress.max = 1;
  progress.value = 0;
  progress.setAttribute("aria-label", uploadText.uploadingFile(name));
  const title = make("bdi");
  title.textContent = name;
  status.textContent = uploadText.waiting;
  text.append(title, status);
  row.append(text, progress);
  field.querySelector("ul.files")?.append(row);
  return { row, progress, status };
}

/** Builds the inputs that the server renders for an unattached file. */
function showUploaded(field: HTMLElement, row: HTMLElement, { id, name }: Uploaded): void {
  const key = field.dataset["field"] ?? "";
  const hidden = (inputName: string, value: string) =>
    Object.assign(make("input"), { type: "hidden", name: inputName, value });
  const text = row.querySelector("span");
  const status = row.querySelector("small");
  if (status) status.textContent = uploadText.uploaded;
  const label = make("label");
  label.className = "choice";
  const box = Object.assign(make("input"), { type: "checkbox", name: `${key}-`, value: id });
  const spoken = Object.assign(make("span"), { className: "unseen", textContent: ` ${name}` });
  label.append(box, ` ${uploadText.remove}`, spoken);
  row.replaceChildren(hidden(key, id), hidden(`$file.${id}`, name));
  if (text) row.append(text);
  row.append(label);
}

const make = <Name extends keyof HTMLElementTagNameMap>(name: Name) => document.createElement(name);

async function send(
  { dataset }: HTMLElement,
  file: File,
  onProgress: (share: number) => void,
): Promise<Uploaded> {
  const maxBytes = Number(dataset["maxBytes"]);
  if (file.size > maxBytes) throw new Error(uploadText.tooLarge);
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  const sha256 = Array.from(new Uint8Array(digest), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  const { collection, field, upload = "" } = dataset;
  const response = await fetch(upload, {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json" },
    body: JSON.stringify({ collection, field, name: file.name, bytes: file.size, sha256 }),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(reasonOf(body));
  const announced = JSON.parse(body) as Uploaded;
  await sendContent(`${upload}/${announced.id}/content`, file, onProgress);
  return announced;
}

/** Uses XMLHttpRequest, because `fetch` does not report the progress of uploads. */
function sendContent(url: string, file: File, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener("error", () => reject(new Error(uploadText.noConnection)));
    request.addEventListener("load", () => {
      if (request.status < 300) resolve();
      else reject(new Error(reasonOf(request.responseText)));
    });
    request.send(file);
  });
}

/** Returns the reason in a problem document. */
function reasonOf(text: string): string {
  try {
    const { errors = [], ...problem } = JSON.parse(text) as ProblemDocument;
    const reasons = reasonsOf({ ...problem, errors: errors.slice(0, 1) }, { type: "files" });
    return reasons || uploadText.failed;
  } catch {
    return uploadText.failed;
  }
}
