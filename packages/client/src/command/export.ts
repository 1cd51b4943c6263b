import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { definitionIn } from "./definition.ts";
import { Failure, say } from "./failure.ts";
import { choose, fileOf, isFile, readObject, writeWhole, type Chosen } from "./folder.ts";
import { Progress } from "./progress.ts";
import {
  definitionOf,
  itemCount,
  itemsOf,
  nameOf,
  visible,
  type Named,
  type Service,
} from "./service.ts";

/** Writes each definition. With `items`, also writes all items, one per line. */
export async function exportAll(
  service: Service,
  folder: string,
  { items, ...selection }: Chosen & { items: boolean },
): Promise<void> {
  for (const kind of ["apps", "forms"]) await mkdir(join(folder, kind), { recursive: true });
  const description = `at ${service.url} is visible to this credential`;
  for (const collection of choose(await visible(service), selection, description)) {
    const document = await definitionOf(service, collection);
    if (!document) throw new Failure(`${nameOf(collection)} no longer exists.`);
    const text = `${JSON.stringify(definitionIn(document), null, 2)}\n`;
    await writeWhole(fileOf(folder, collection, "json"), text);
    const counted = items ? `, ${itemCount(await exportItems(service, folder, collection))}` : "";
    say(`${nameOf(collection)}: version ${document.schema_version}${counted}.`);
  }
}

/** The state of an interrupted export. The first `bytes` of the part file are complete, and `cursor` continues there. */
interface ExportMark {
  url: string;
  cursor: string;
  bytes: number;
  count: number;
}

async function exportItems(service: Service, folder: string, collection: Named): Promise<number> {
  const file = fileOf(folder, collection, "ndjson");
  const [partFile, markFile] = [`${file}.part`, `${file}.part.json`];
  const saved = await loadMark(markFile, partFile, service.url);
  const handle = await open(partFile, saved ? "r+" : "w");
  let count = saved?.count ?? 0;
  try {
    await handle.truncate(saved?.bytes ?? 0);
    let bytes = saved?.bytes ?? 0;
    const progress = new Progress(nameOf(collection));
    const walk = itemsOf(service, collection).list({ cursor: saved?.cursor });
    for await (const { items, cursor } of walk.pages()) {
      bytes += await append(handle, items, bytes);
      count += items.length;
      progress.at(count);
      if (cursor === null) break;
      const progressMark: ExportMark = { url: service.url, cursor, bytes, count };
      await writeWhole(markFile, JSON.stringify(progressMark));
    }
    progress.end();
  } finally {
    await handle.close();
  }
  await rename(partFile, file);
  await rm(markFile, { force: true });
  return count;
}

/** Returns undefined without a mark, or if the mark belongs to another service or to another part file. */
async function loadMark(
  markFile: string,
  partFile: string,
  url: string,
): Promise<ExportMark | undefined> {
  if (!(await isFile(markFile)) || !(await isFile(partFile))) return undefined;
  const saved = (await readObject(markFile)) as unknown as ExportMark;
  const { size } = await stat(partFile);
  return saved.url === url && saved.bytes <= size ? saved : undefined;
}

async function append(
  handle: FileHandle,
  items: readonly object[],
  position: number,
): Promise<number> {
  const lines = items.map((item) => `${JSON.stringify(item)}\n`);
  const bytes = Buffer.from(lines.join(""));
  await handle.write(bytes, 0, bytes.length, position);
  await handle.sync();
  return bytes.length;
}
