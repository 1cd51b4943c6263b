import { createHash } from "node:crypto";
import { appendFileSync, createReadStream, readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { homeName } from "#domain/bookmarks.ts";
import { findStatements } from "./split-sql.ts";
import { stop } from "./wrangler.ts";

/** The files of a backup. Each file contains the export of one database. */

/** Returns the file name for a database: the chosen name with the binding before its extension. */
export const nameBackupFile = (output: string, binding: string): string =>
  output.replace(/(\.\w+)?$/, `.${binding}$1`);

const homeFilePattern = new RegExp(`\\.${homeName}(\\.\\w+)?$`);

/** A backup on this machine. */
export interface Backup {
  /** The file of each database, by its binding. */
  files: ReadonlyMap<string, string>;
  /** The location or jurisdiction of each data database, or null. */
  places: ReadonlyMap<string, string | null>;
  /** The number of times that the service had been restored. */
  restores: number;
}

const placedPattern = /'(DATA_\d\d)'/g;
const databasePattern = /\('(DATA_\d\d)' *, *(?:NULL|'(\w+)') *, *\d+\)/gi;

/** Finds the files of a backup next to the file of the home database. Stops if one is missing. */
export async function findBackup(homeFile: string): Promise<Backup> {
  if (!isFile(homeFile)) stop(`--from cannot read ${homeFile}.`);
  const places = await findPlaces(homeFile);
  if (places.size > 0 && !homeFilePattern.test(homeFile))
    stop(
      `${homeFile} has data databases, but its name does not show where their files are. Name the files as ` +
        "`npm run backup` does: backup.DB.sql, backup.DATA_01.sql.",
    );
  const files = new Map([[homeName, homeFile]]);
  for (const binding of places.keys()) files.set(binding, siblingOf(homeFile, binding));
  const names = Array.from(files.values(), (file) => basename(file));
  const missingFiles = [...files.values()].filter((file) => !isFile(file));
  if (missingFiles.length > 0)
    stop(
      `${homeFile} has apps and forms in data databases. These files of the backup are missing: ${missingFiles.join(", ")}. ` +
        "Nothing was created.",
    );
  const others = listDataFiles(homeFile).filter((name) => !names.includes(name));
  if (others.length > 0)
    stop(
      `${homeFile} does not know the databases of ${others.join(", ")}. The files are of different backups. Keep the ` +
        "files of each backup in a folder of its own. Nothing was created.",
    );
  return { files, places, restores: await readRestores(homeFile) };
}

async function findPlaces(homeFile: string): Promise<Map<string, string | null>> {
  const places = new Map<string, string | null>();
  const prefix = /^\s*INSERT INTO "?(placement|data_database)"?\W/;
  for await (const statement of findStatements(homeFile, prefix))
    if (prefix.exec(statement)?.[1] === "data_database")
      for (const [, binding = "", place] of statement.matchAll(databasePattern))
        places.set(binding, place ?? null);
    else
      for (const [, binding = ""] of statement.matchAll(placedPattern))
        places.set(binding, places.get(binding) ?? null);
  return new Map([...places].toSorted(([a], [b]) => a.localeCompare(b)));
}

const siblingOf = (homeFile: string, binding: string): string =>
  homeFile.replace(homeFilePattern, `.${binding}$1`);

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Returns the names of all files of data databases next to the file of the home database. */
function listDataFiles(homeFile: string): string[] {
  if (!homeFilePattern.test(homeFile)) return [];
  const [start = "", end = ""] = basename(siblingOf(homeFile, "\0")).split("\0");
  return readdirSync(dirname(homeFile)).filter(
    (name) =>
      name.startsWith(start) &&
      name.endsWith(end) &&
      /^DATA_\d\d$/.test(name.slice(start.length, name.length - end.length)),
  );
}

const restoresPattern = /^-- restores: (\d+)$/m;

/** Stores in a backup how often the service had been restored, because the databases do not contain this number. */
export function noteRestores(homeFile: string, restores: number): void {
  appendFileSync(homeFile, `-- restores: ${restores}\n`);
}

/** Reads the number that `noteRestores` has stored at the end of a file. 0 if there is none. */
async function readRestores(homeFile: string): Promise<number> {
  const handle = await open(homeFile);
  const { size } = await handle.stat();
  const length = Math.min(size, 64);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  await handle.close();
  return Number(restoresPattern.exec(buffer.toString())?.[1] ?? 0);
}

/** Returns the SHA-256 of a file. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
