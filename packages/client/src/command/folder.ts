import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure } from "./failure.ts";
import type { Kind, Named } from "./service.ts";

/** `apps/orders.json` is the definition of the app `orders`, `apps/orders.ndjson` its records; `forms/…` likewise. */
type Ending = "json" | "ndjson";

const kinds: readonly Kind[] = ["app", "form"];
const isKey = /^[a-z][a-z0-9_-]{0,62}$/;

/** The selected apps and forms. Without either member, all of them. */
export interface Chosen {
  apps?: string | undefined;
  forms?: string | undefined;
}

/** Rejects invalid keys, so that a service cannot choose a path outside the directory. */
export function fileOf(folder: string, { kind, key }: Named, ending: Ending): string {
  if (!isKey.test(key))
    throw new Failure(`${JSON.stringify(key)} is not a valid key of an app or form.`);
  return join(folder, `${kind}s`, `${key}.${ending}`);
}

/** Returns the selected candidates. Error messages use `description` to name the place of a missing one. */
export function choose(
  candidates: readonly Named[],
  selection: Chosen,
  description: string,
): Named[] {
  if (selection.apps === undefined && selection.forms === undefined) return [...candidates];
  const collections = namedIn(selection);
  for (const { kind, key } of collections) {
    if (candidates.some((candidate) => candidate.kind === kind && candidate.key === key)) continue;
    throw new Failure(`No ${kind} ${key} ${description}.`);
  }
  return collections;
}

export function namedIn({ apps = "", forms = "" }: Chosen): Named[] {
  return [...splitKeys("app", apps), ...splitKeys("form", forms)];
}

function splitKeys(kind: Kind, keys: string): Named[] {
  return keys
    .split(",")
    .filter((key) => key !== "")
    .map((key) => ({ kind, key }));
}

/** Lists the apps and forms that have a file of this kind in the directory. */
export async function filesIn(folder: string, ending: Ending): Promise<Named[]> {
  const collections: Named[] = [];
  for (const kind of kinds) {
    const names = await readdir(join(folder, `${kind}s`)).catch(() => []);
    for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
      const key = basename(name, `.${ending}`);
      if (name === `${key}.${ending}` && isKey.test(key)) collections.push({ kind, key });
    }
  }
  return collections;
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

export async function readObject(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, "utf8");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw new Failure(`${path} is not valid JSON:  ${(error as Error).message}`);
  }
  throw new Failure(`${path} does not contain an object.`);
}

/** Replaces the file atomically: readers see either the old or the complete new content. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.new`);
  await writeFile(temporary, text);
  await rename(temporary, path);
}
