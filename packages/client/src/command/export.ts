import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { definitionIn } from "./definition.ts";
import { Failure, say } from "./failure.ts";
import { choose, fileOf, isFile, readObject, writeWhole, type Chosen } from "./folder.ts";
import { Progress } from "./progress.ts";
import { definitionOf, itemsOf, nameOf, visible, type Named, type Service } from "./service.ts";

/** Writes each definition, and with `items` all items, one a line. */
export async function exportAll(
  service: Service,
  folder: string,
  { items, ...chosen }: Chosen & { items: boolean },
): Promise<void> {
  for (const kind of ["apps", "forms"]) await mkdir(join(folder, kind), { recursive: true });
  const where = `at ${service.url} that this credential may see`;
  for (const named of choose(await visible(service), chosen, where)) {
    const document = await definitionOf(service, named);
    if (!document) throw new Failure(`${nameOf(named)} has gone.`);
    const text = `${JSON.stringify(definitionIn(document), null, 2)}\n`;
    await writeWhole(fileOf(folder, named, "json"), text);
    const what = items ? `, ${await exportItems(service, folder, named)} items` : "";
    say(`${nameOf(named)}: version ${document.schema_version}${what}.`);
  }
}

/** How far an export came that was broken off: its first `bytes` are whole, and `cursor` goes on behind them. */
interface Kept {
  url: string;
  cursor: string;
  bytes: number;
  count: number;
}

async function exportItems(service: Service, folder: string, named: Named): Promise<string> {
  const file = fileOf(folder, named, "ndjson");
  const [part, mark] = [`${file}.part`, `${file}.part.json`];
  const kept = await keptOf(mark, part, service.url);
  const handle = await open(part, kept ? "r+" : "w");
  let count = kept?.count ?? 0;
  try {
    await handle.truncate(kept?.bytes ?? 0);
    let bytes = kept?.bytes ?? 0;
    const progress = new Progress(nameOf(named));
    const walk = itemsOf(service, named).list({ cursor: kept?.cursor });
    for await (const { items, cursor } of walk.pages()) {
      bytes += await append(handle, items, bytes);
      count += items.length;
      progress.at(count);
      if (cursor === null) break;
      const now: Kept = { url: service.url, cursor, bytes, count };
      await writeWhole(mark, JSON.stringify(now));
    }
    progress.end();
  } finally {
    await handle.close();
  }
  await rename(part, file);
  await rm(mark, { force: true });
  return count.toLocaleString("en");
}

/** Nothing where there is none, or it tells of another service or another file. */
async function keptOf(mark: string, part: string, url: string): Promise<Kept | undefined> {
  if (!(await isFile(mark)) || !(await isFile(part))) return undefined;
  const kept = (await readObject(mark)) as unknown as Kept;
  const { size } = await stat(part);
  return kept.url === url && kept.bytes <= size ? kept : undefined;
}

async function append(handle: FileHandle, items: readonly object[], at: number): Promise<number> {
  const lines = items.map((item) => `${JSON.stringify(item)}\n`);
  const bytes = Buffer.from(lines.join(""));
  await handle.write(bytes, 0, bytes.length, at);
  await handle.sync();
  return bytes.length;
}
