import { stat } from "node:fs/promises";
import { differing } from "./compare.ts";
import { Failure, say } from "./failure.ts";
import { choose, fileOf, filesIn, isFile, namedIn, type Chosen } from "./folder.ts";
import { openJournal, type Journal } from "./journal.ts";
import { chunksOf, type Chunk } from "./lines.ts";
import { Progress } from "./progress.ts";
import { send, type Target } from "./send.ts";
import { definitionOf, itemsOf, nameOf, type Item, type Named, type Service } from "./service.ts";

export interface ImportOptions extends Chosen {
  /** The unique field by whose value items are found; without it, each line makes an item. */
  by?: string | undefined;
  /** Whether to add to what is there. */
  append: boolean;
}

/** Sends every line, and compares what is stored with the file. Whether all of it is equal. */
export async function importAll(
  service: Service,
  path: string,
  options: ImportOptions,
): Promise<boolean> {
  let isEqual = true;
  for (const { file, named } of await sourcesIn(path, options)) {
    const schema = await definitionOf(service, named);
    if (!schema) throw new Failure(`There is no ${nameOf(named)}. Apply its definition first.`);
    const { fields } = schema;
    const items = itemsOf(service, named);
    const target = { url: service.url, named, fields, items, file, by: options.by };
    isEqual = (await importOne(target, options.append)) && isEqual;
  }
  return isEqual;
}

async function sourcesIn(path: string, chosen: Chosen): Promise<{ file: string; named: Named }[]> {
  const named = namedIn(chosen);
  if (await isFile(path)) {
    if (named.length === 1 && named[0]) return [{ file: path, named: named[0] }];
    throw new Failure("Say which app or form the file is for: --apps KEY or --forms KEY.");
  }
  const files = await filesIn(path, "ndjson");
  if (files.length === 0) throw new Failure(`${path} has no apps/*.ndjson and no forms/*.ndjson.`);
  const wanted = choose(files, chosen, `with items in ${path}`);
  return wanted.map((each) => ({ file: fileOf(path, each, "ndjson"), named: each }));
}

async function importOne(target: Target, append: boolean): Promise<boolean> {
  const name = nameOf(target.named);
  let journal = await openJournal(target, append);
  const sent = await sendRest(target, journal);
  let differ = await compare(target, journal);
  // What was imported by an earlier run, and changed since, is sent again where that makes no second item.
  if (differ > 0 && sent === 0 && target.by !== undefined) {
    journal = await journal.anew();
    await sendRest(target, journal);
    differ = await compare(target, journal);
  }
  const count = journal.entries.reduce((total, { ids }) => total + ids.length, 0);
  say(`${name}: ${count.toLocaleString("en")} items, ${differ.toLocaleString("en")} differ.`);
  return differ === 0;
}

/** Sends the lines that the journal does not tell of, and gives their number. */
async function sendRest(target: Target, journal: Journal): Promise<number> {
  const progress = new Progress(`${nameOf(target.named)}: sending`);
  const { size } = await stat(target.file);
  let sent = 0;
  for await (const chunk of chunksOf(target.file, journal.sizes)) {
    if (journal.tells(chunk)) continue;
    await send(target, chunk, journal);
    sent += chunk.lines.length;
    progress.at(sent, size, chunk.bytes);
  }
  progress.end();
  return sent;
}

/** How many lines differ from their items; the first of them are named. */
async function compare(target: Target, journal: Journal): Promise<number> {
  const progress = new Progress(`${nameOf(target.named)}: comparing`);
  const { size } = await stat(target.file);
  let [compared, differ] = [0, 0];
  for await (const chunk of chunksOf(target.file, journal.sizes)) {
    for (const [line, what] of await differences(target, chunk, journal)) {
      differ += 1;
      if (differ <= 10) say(`${target.file}:${line} differs in ${what}.`);
    }
    compared += chunk.lines.length;
    progress.at(compared, size, chunk.bytes);
  }
  progress.end();
  return differ;
}

async function differences(
  { items, fields }: Target,
  { first, lines }: Chunk,
  journal: Journal,
): Promise<[line: number, what: string][]> {
  const ids = journal.idsFrom(first);
  const conditions = [{ field: "$id", op: "in", value: [...new Set(ids)] }];
  const found = await items.search({ conditions }).toArray();
  const byId = new Map<string | undefined, Item>(found.map((item) => [item.id, item]));
  return lines.flatMap((line, at): [number, string][] => {
    const item = byId.get(ids[at]);
    if (!item) return [[first + at, "that its item has gone"]];
    const keys = differing(line, item, fields);
    return keys.length === 0 ? [] : [[first + at, keys.join(", ")]];
  });
}
