import { compileCollection, type CompiledCollection } from "#domain/data/compile.ts";
import { presentData, type Value } from "#domain/data/values.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { statusFieldId, type FieldChange } from "#domain/item/change.ts";
import { loadChangeDetails, type ChangeDetails } from "#store/data/change-details.ts";
import { loadDefinitions } from "#store/data/definition-head.ts";
import type { AuditEntry } from "#store/home/audit-log.ts";
import { sourceOf } from "#store/home/audit-window.ts";
import { buildFieldChanges } from "./changes.ts";
import { findCollectionInMemory } from "./collection-cache.ts";
import type { ActionContext } from "./context.ts";

/** Details of a change that the audit log shows in addition to its entry. */
export interface ChangeDescription {
  compiled: CompiledCollection;
  /** The current data of the item by field key. */
  data: Record<string, unknown>;
  /** Null when the values are no longer stored, or too large for a list. */
  fields: FieldChange[] | null;
}

const maxDefinitionBytes = 1_000_000;

/** Loads the values of item changes by the number of the entry. Entries of deleted items have none. */
export async function describeChanges(
  ctx: ActionContext,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<number, ChangeDescription>> {
  const changes = entries.filter((entry) => sourceOf(entry) !== 0 && entry.collection !== null);
  if (changes.length === 0) return new Map();
  const [compiledByName, ...details] = await Promise.all([
    loadCollections(ctx, new Set(changes.map(({ collection }) => collection ?? ""))),
    ...ctx.databases.dataDatabases().map((db) =>
      loadChangeDetails(
        db,
        changes.map(({ number }) => number),
      ),
    ),
  ]);
  const described = new Map<number, ChangeDescription>();
  const compiledOf = (number: number) => {
    const entry = changes.find((change) => change.number === number);
    return compiledByName.get(entry?.collection ?? "");
  };
  for (const { items, steps } of details) describeItems(items, steps, compiledOf, described);
  return described;
}

function describeItems(
  items: ChangeDetails["items"],
  steps: ChangeDetails["steps"],
  compiledOf: (number: number) => CompiledCollection | undefined,
  described: Map<number, ChangeDescription>,
): void {
  for (const { number: item, status, data } of items) {
    const ownSteps = steps.filter((step) => step.item === item);
    const compiled = ownSteps.map(({ number }) => compiledOf(number)).find((each) => each);
    if (!compiled) continue;
    const valuesAfter = new Map<string, Value | null>(Object.entries(data));
    valuesAfter.set(String(statusFieldId), status);
    const presented = presentData(compiled, data);
    let isKnown = true;
    for (const { number, former } of ownSteps) {
      isKnown &&= former !== null;
      const fields = isKnown && former ? buildFieldChanges(compiled, former, valuesAfter) : null;
      if (compiledOf(number)) described.set(number, { compiled, data: presented, fields });
    }
  }
}

async function loadCollections(
  ctx: ActionContext,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, CompiledCollection>> {
  const found = new Map<string, CompiledCollection>();
  const missing: { kind: CollectionKind; key: string }[] = [];
  for (const name of names) {
    const [kind, key] = name.split(":") as [CollectionKind, string];
    const cached = findCollectionInMemory(ctx.memory, kind, key);
    if (cached) found.set(name, cached);
    else missing.push({ kind, key });
  }
  if (missing.length === 0) return found;
  const { collections } = await loadDefinitions(ctx.databases, missing, maxDefinitionBytes);
  for (const collection of collections) {
    found.set(`${collection.kind}:${collection.key}`, compileCollection(collection));
  }
  return found;
}
