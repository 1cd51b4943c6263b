import { isDeepStrictEqual } from "node:util";
import type { Definition } from "./definition.ts";
import { differencesOf } from "./differences.ts";
import { Failure, say } from "./failure.ts";
import { choose, fileOf, filesIn, readObject, type Chosen } from "./folder.ts";
import { definitionOf, nameOf, visible, type Named, type Service } from "./service.ts";

/** What applying one file would do. */
export interface Step {
  named: Named;
  definition: Definition;
  /** The version that the differences are from; undefined for what is not there yet. */
  version: number | undefined;
  differences: string[];
}

export interface Plan {
  /** Those with differences. */
  steps: Step[];
  unchanged: number;
  /** On the service, and not in the directory. */
  others: Named[];
}

export async function planOf(service: Service, folder: string, chosen: Chosen): Promise<Plan> {
  const files = await filesIn(folder, "json");
  if (files.length === 0) throw new Failure(`${folder} has no apps/*.json and no forms/*.json.`);
  const named = choose(files, chosen, `in ${folder}`);
  const all = await Promise.all(named.map((each) => stepOf(service, folder, each)));
  const steps = all.filter(({ differences }) => differences.length > 0);
  const others = (await visible(service)).filter(
    (each) => !files.some((file) => isDeepStrictEqual(file, each)),
  );
  return { steps, unchanged: all.length - steps.length, others };
}

/** What is left to do for one file. */
export async function stepOf(service: Service, folder: string, named: Named): Promise<Step> {
  const path = fileOf(folder, named, "json");
  const definition = definitionFrom(path, await readObject(path));
  const present = await definitionOf(service, named);
  const differences = present
    ? differencesOf(present, definition)
    : definition.fields.map(({ key, type }) => `+ ${key} (${type})`);
  if (!present && differences.length === 0) differences.push("+ without fields");
  return { named, definition, version: present?.schema_version, differences };
}

/** The rest of a definition is judged by the service. */
function definitionFrom(path: string, read: Record<string, unknown>): Definition {
  const isField = (each: unknown): boolean => {
    const field = each as { key?: unknown; type?: unknown; fields?: unknown } | null;
    if (typeof field?.key !== "string" || typeof field.type !== "string") return false;
    return field.fields === undefined || isFields(field.fields);
  };
  const isFields = (fields: unknown) => Array.isArray(fields) && fields.every(isField);
  if (!isFields(read["fields"])) {
    throw new Failure(`${path}: "fields" is no list of objects with a key and a type.`);
  }
  return read as Definition;
}

export function showPlan({ steps, unchanged, others }: Plan): void {
  for (const { named, version, differences } of steps) {
    say(`${nameOf(named)}: ${version === undefined ? "new" : `version ${version}`}`);
    for (const line of differences) say(`  ${line}`);
  }
  if (others.length > 0) say(`Not in the directory, and left alone: ${list(others)}.`);
  const created = steps.filter(({ version }) => version === undefined).length;
  say(`${created} to create, ${steps.length - created} to change, ${unchanged} unchanged.`);
}

function list(named: readonly Named[]): string {
  const shown = named.slice(0, 20).map(nameOf).join(", ");
  return named.length > 20 ? `${shown} and ${named.length - 20} more` : shown;
}
