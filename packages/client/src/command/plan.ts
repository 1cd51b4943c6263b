import { isDeepStrictEqual } from "node:util";
import type { Definition } from "./definition.ts";
import { differencesOf } from "./differences.ts";
import { EdgeFormsError } from "../index.ts";
import { Failure, say, sentenceOf } from "./failure.ts";
import { newApps } from "./order.ts";
import { choose, fileOf, filesIn, readObject, type Chosen } from "./folder.ts";
import {
  definitionOf,
  itemCount,
  nameOf,
  schemaPath,
  visible,
  type Consequences,
  type Named,
  type Service,
} from "./service.ts";

/** The changes that applying one file would make. */
export interface Step {
  named: Named;
  definition: Definition;
  /** The version that the differences refer to. Undefined if the app or form does not exist yet. */
  version: number | undefined;
  differences: string[];
  /** The effects of the change that the service reports. Null if it did not validate the definition. */
  consequences: Consequences | null;
  /** The reasons why the service would reject the definition, one line per error. */
  errors: string[];
}

export interface Plan {
  /** The steps that have differences. */
  steps: Step[];
  unchanged: number;
  /** Files that the service would reject. A step may be among them. */
  invalid: Step[];
  /** The reason why the service could not validate the definitions. Null if it validated all of them. */
  unvalidated: string | null;
  /** The apps and forms that the service has, but the directory lacks. */
  others: Named[];
}

export async function planOf(service: Service, folder: string, selection: Chosen): Promise<Plan> {
  const files = await filesIn(folder, "json");
  if (files.length === 0) throw new Failure(`${folder} has no apps/*.json and no forms/*.json.`);
  const collections = choose(files, selection, `in ${folder}`);
  const allSteps = await Promise.all(
    collections.map((collection) => stepOf(service, folder, collection)),
  );
  const unvalidated = await validateAll(service, allSteps);
  const steps = allSteps.filter(({ differences }) => differences.length > 0);
  const invalid = allSteps.filter(({ errors }) => errors.length > 0);
  const others = (await visible(service)).filter(
    (collection) => !files.some((file) => isDeepStrictEqual(file, collection)),
  );
  return { steps, unchanged: allSteps.length - steps.length, others, invalid, unvalidated };
}

/** Compares one file with the current definition. */
export async function stepOf(service: Service, folder: string, collection: Named): Promise<Step> {
  const path = fileOf(folder, collection, "json");
  const definition = definitionFrom(path, await readObject(path));
  const current = await definitionOf(service, collection);
  const differences = current
    ? differencesOf(current, definition)
    : definition.fields.map(({ key, type }) => `+ ${key} (${type})`);
  if (!current && differences.length === 0) differences.push("+ no fields");
  const version = current?.schema_version;
  return { named: collection, definition, version, differences, consequences: null, errors: [] };
}

/** Asks the service to validate every definition without storing it. Returns the reason if it cannot. */
async function validateAll({ client }: Service, steps: readonly Step[]): Promise<string | null> {
  const created = newApps(steps);
  const reasons = await Promise.all(
    steps.map(async (step) => {
      const { named, definition: body } = step;
      try {
        const request = { body, query: { dry_run: "true" } };
        const result = await client.request<DryRun>("PUT", schemaPath(named), request);
        adoptConsequences(step, result.consequences);
        return null;
      } catch (error) {
        if (!(error instanceof EdgeFormsError) || !isRejection(error)) throw error;
        if (error.status === 403) return "the credential lacks the permission schema:write";
        if (isDryRunUnknown(error)) return "this service cannot validate without applying";
        if (!lacksOnlyNewApps(error, step, created)) step.errors.push(...linesOf(error));
        return null;
      }
    }),
  );
  return reasons.find((reason) => reason !== null) ?? null;
}

/** Whether the service rejects a definition only because it does not know the apps that this run creates. */
function lacksOnlyNewApps(
  { errors }: EdgeFormsError,
  { definition }: Step,
  created: ReadonlyMap<string, Step>,
): boolean {
  const isNewApp = (pointer: string | undefined) => {
    const [, index, column] =
      /^\/fields\/(\d+)(?:\/fields\/(\d+))?\/app$/.exec(pointer ?? "") ?? [];
    const field = definition.fields[Number(index)];
    const reference = column === undefined ? field : field?.fields?.[Number(column)];
    return typeof reference?.["app"] === "string" && created.has(reference["app"]);
  };
  return errors.length > 0 && errors.every(({ pointer }) => isNewApp(pointer));
}

interface DryRun {
  consequences: Consequences;
}

/** The service decides what is a change, because it knows every notation of a value. */
function adoptConsequences(step: Step, consequences: Consequences): void {
  step.consequences = consequences;
  if (consequences.outcome === "unchanged") step.differences.length = 0;
  else if (step.differences.length === 0)
    step.differences.push("~ changed in a way that this version of edge-forms cannot show");
}

/** Whether the service validated the definition. It did not if, for example, the connection was lost. */
function isRejection({ status }: EdgeFormsError): boolean {
  return [400, 403, 404, 409, 413, 422].includes(status);
}

/** Services of earlier versions reject the parameter before they read the definition. */
function isDryRunUnknown({ errors }: EdgeFormsError): boolean {
  return errors.some(({ field, code }) => field === "dry_run" && code === "unknown_parameter");
}

function linesOf(error: EdgeFormsError): string[] {
  if (error.errors.length === 0) return [sentenceOf(error)];
  return error.errors.map(({ field, reason }) => `${field || "definition"}: ${reason}`);
}

/** Checks only what the comparison needs. The service validates everything else. */
function definitionFrom(path: string, value: Record<string, unknown>): Definition {
  const isField = (candidate: unknown): boolean => {
    const field = candidate as { key?: unknown; type?: unknown; fields?: unknown } | null;
    if (typeof field?.key !== "string" || typeof field.type !== "string") return false;
    return field.fields === undefined || isFields(field.fields);
  };
  const isFields = (fields: unknown) => Array.isArray(fields) && fields.every(isField);
  if (!isFields(value["fields"])) {
    throw new Failure(`${path}: "fields" must be a list of objects with a key and a type.`);
  }
  return value as Definition;
}

export function showPlan({ steps, unchanged, others, invalid, unvalidated }: Plan): void {
  for (const { named: collection, version, differences, consequences } of steps) {
    say(`${nameOf(collection)}: ${version === undefined ? "new" : `version ${version}`}`);
    for (const line of differences) say(`  ${line}`);
    for (const line of consequenceLines(consequences)) say(`  = ${line}`);
  }
  for (const { named: collection, errors } of invalid) {
    say(`${nameOf(collection)}: invalid`);
    for (const line of errors) say(`  ! ${line}`);
  }
  if (unvalidated !== null) say(`Not validated: ${unvalidated}.`);
  if (others.length > 0) say(`Not in the directory, unchanged:  ${list(others)}.`);
  const createdCount = steps.filter(({ version }) => version === undefined).length;
  const invalidText = invalid.length > 0 ? `, ${invalid.length} invalid` : "";
  const changedCount = steps.length - createdCount;
  say(
    `${createdCount} to create, ${changedCount} to change, ${unchanged} unchanged${invalidText}.`,
  );
}

const counted = (count: number, action: string) =>
  count === 0 ? [] : [`${itemCount(count)} ${action}`];

/** One line per consequence for stored data. */
function consequenceLines(consequences: Consequences | null): string[] {
  if (!consequences) return [];
  const { hidden_fields: hidden, checked_items: checked, outcome } = consequences;
  return [
    ...(hidden.length > 0 ? [`hidden fields: ${hidden.join(", ")}`] : []),
    ...counted(consequences.recalculated_items, "recalculated"),
    ...counted(consequences.reindexed_items, "reindexed"),
    ...counted(checked, outcome === "pending" ? "checked before it takes effect" : "checked"),
  ];
}

/** Throws if the service would reject a definition, so that `apply` writes all of them or none. */
export function assertValid({ invalid }: Plan): void {
  if (invalid.length === 0) return;
  throw new Failure(
    `Nothing was applied. The service rejects ${list(invalid.map(({ named }) => named))}.`,
  );
}

function list(collections: readonly Named[]): string {
  const text = collections.slice(0, 20).map(nameOf).join(", ");
  return collections.length > 20 ? `${text} and ${collections.length - 20} more` : text;
}
