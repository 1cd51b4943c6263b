import { stat } from "node:fs/promises";
import { differing } from "./compare.ts";
import { Failure, say } from "./failure.ts";
import { choose, fileOf, filesIn, isFile, namedIn, type Chosen } from "./folder.ts";
import { openJournal, type Journal } from "./journal.ts";
import { chunksOf, type Chunk } from "./lines.ts";
import { Progress } from "./progress.ts";
import { send, type Target } from "./send.ts";
import {
  definitionOf,
  itemCount,
  itemsOf,
  nameOf,
  type Item,
  type Named,
  type Service,
} from "./service.ts";

export interface ImportOptions extends Chosen {
  /** The unique field that identifies existing items. Without it, each line creates an item. */
  by?: string | undefined;
  /** Whether to add the lines to existing items. */
  append: boolean;
}

/** Sends every line and compares the stored items with the file. Returns whether all are equal. */
export async function importAll(
  service: Service,
  path: string,
  options: ImportOptions,
): Promise<boolean> {
  let isEqual = true;
  for (const { file, named } of await sourcesIn(path, options)) {
    const schema = await definitionOf(service, named);
    if (!schema)
      throw new Failure(`The ${nameOf(named)} does not exist. Apply its definition first.`);
    const { fields } = schema;
    const items = itemsOf(service, named);
    const target = { url: service.url, named, fields, items, file, by: options.by };
    isEqual = (await importOne(target, options.append)) && isEqual;
  }
  return isEqual;
}

async function sourcesIn(
  path: string,
  selection: Chosen,
): Promise<{ file: string; named: Named }[]> {
  const named = namedIn(selection);
  if (await isFile(path)) {
    if (named.length === 1 && named[0]) return [{ file: path, named: named[0] }];
    throw new Failure("Choose the app or form of the file with --apps KEY or --forms KEY.");
  }
  const files = await filesIn(path, "ndjson");
  if (files.length === 0) throw new Failure(`${path} has no apps/*.ndjson and no forms/*.ndjson.`);
  const selected = choose(files, selection, `has items in ${path}`);
  return selected.map((collection) => ({
    file: fileOf(path, collection, "ndjson"),
    named: collection,
  }));
}

async function importOne(target: Target, append: boolean): Promise<boolean> {
  const name = nameOf(target.named);
  let journal = await openJournal(target, append);
  const sentCount = await sendRemaining(target, journal);
  let differingCount = await compareItems(target, journal);
  // An earlier run imported the lines, and items changed since. With `by`, a second import creates no duplicates.
  if (differingCount > 0 && sentCount === 0 && target.by !== undefined) {
    journal = await journal.restart();
    await sendRemaining(target, journal);
    differingCount = await compareItems(target, journal);
  }
  const count = journal.entries.reduce((total, { ids }) => total + ids.length, 0);
  say(`${name}: ${itemCount(count)}, ${differingCount.toLocaleString("en")} differ.`);
  return differingCount === 0;
}

/** Sends the lines that are not in the journal, and returns their number. */
async function sendRemaining(target: Target, journal: Journal): Promise<number> {
  const progress = new Progress(`${nameOf(target.named)}: sending`);
  const { size } = await stat(target.file);
  let sentCount = 0;
  for await (const chunk of chunksOf(target.file, journal.sizes)) {
    if (journal.contains(chunk)) continue;
    await send(target, chunk, journal);
    sentCount += chunk.lines.length;
    progress.at(sentCount, size, chunk.bytes);
  }
  progress.end();
  return sentCount;
}

/** Returns how many lines differ from their items, and prints the first ten. */
async function compareItems(target: Target, journal: Journal): Promise<number> {
  const progress = new Progress(`${nameOf(target.named)}: comparing`);
  const { size } = await stat(target.file);
  let [comparedCount, differingCount] = [0, 0];
  for await (const chunk of chunksOf(target.file, journal.sizes)) {
    for (const [line, keys] of await differences(target, chunk, journal)) {
      differingCount += 1;
      if (differingCount <= 10) say(`${target.file}:${line} differs in ${keys}.`);
    }
    comparedCount += chunk.lines.length;
    progress.at(comparedCount, size, chunk.bytes);
  }
  progress.end();
  return differingCount;
}

async function differences(
  { items, fields }: Target,
  { first, lines }: Chunk,
  journal: Journal,
): Promise<[line: number, what: string][]> {
  const ids = journal.idsFrom(first);
  const conditions = [{ field: "$id", op: "in", value: [...new Set(ids)] }];
  const matches = await items.search({ conditions }).toArray();
  const byId = new Map<string | undefined, Item>(matches.map((item) => [item.id, item]));
  return lines.flatMap((line, at): [number, string][] => {
    const item = byId.get(ids[at]);
    if (!item) return [[first + at, "that its item no longer exists"]];
    const keys = differing(line, item, fields);
    return keys.length === 0 ? [] : [[first + at, keys.join(", ")]];
  });
}
