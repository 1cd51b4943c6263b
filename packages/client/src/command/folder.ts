import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure } from "./failure.ts";
import type { Kind, Named } from "./service.ts";

/** `apps/orders.json` is the definition of the app `orders`, `apps/orders.ndjson` its records; `forms/…` likewise. */
type Ending = "json" | "ndjson";

const kinds: readonly Kind[] = ["app", "form"];
const isKey = /^[a-z][a-z0-9_-]{0,62}$/;

/** The apps and forms to look at, all where neither is given. */
export interface Chosen {
  apps?: string | undefined;
  forms?: string | undefined;
}

/** Whatever a service says that its keys are, files are in the directory. */
export function fileOf(folder: string, { kind, key }: Named, ending: Ending): string {
  if (!isKey.test(key)) throw new Failure(`${JSON.stringify(key)} is no key of an app or form.`);
  return join(folder, `${kind}s`, `${key}.${ending}`);
}

/** Those of `all` that are chosen. `where` says where one is missing that was named. */
export function choose(all: readonly Named[], chosen: Chosen, where: string): Named[] {
  if (chosen.apps === undefined && chosen.forms === undefined) return [...all];
  const named = namedIn(chosen);
  for (const { kind, key } of named) {
    if (all.some((each) => each.kind === kind && each.key === key)) continue;
    throw new Failure(`There is no ${kind} ${key} ${where}.`);
  }
  return named;
}

export function namedIn({ apps = "", forms = "" }: Chosen): Named[] {
  return [...listed("app", apps), ...listed("form", forms)];
}

function listed(kind: Kind, keys: string): Named[] {
  return keys
    .split(",")
    .filter((key) => key !== "")
    .map((key) => ({ kind, key }));
}

/** The apps and forms that have a file of this kind in a directory. */
export async function filesIn(folder: string, ending: Ending): Promise<Named[]> {
  const found: Named[] = [];
  for (const kind of kinds) {
    const names = await readdir(join(folder, `${kind}s`)).catch(() => []);
    for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
      const key = basename(name, `.${ending}`);
      if (name === `${key}.${ending}` && isKey.test(key)) found.push({ kind, key });
    }
  }
  return found;
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

export async function readObject(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, "utf8");
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === "object" && read !== null) return read as Record<string, unknown>;
  } catch (error) {
    throw new Failure(`${path} is no JSON: ${(error as Error).message}`);
  }
  throw new Failure(`${path} holds no object.`);
}

/** Whoever reads the file sees what was there before, or all of it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const next = join(dirname(path), `.${basename(path)}.new`);
  await writeFile(next, text);
  await rename(next, path);
}
