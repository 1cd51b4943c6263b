import { isDeepStrictEqual } from "node:util";
import { withComputed, summary, type Definition } from "./definition.ts";
import type { Values } from "./formulas.ts";
import type { Collection, Epoch, Item, Seen, State, Write } from "./model.ts";
import { storedValue } from "./values.ts";

/** One possible explanation of an item's version. */
interface Explanation {
  /** Null before the item was created. */
  state: State | null;
  epoch: number;
  /** Writes with lost responses that this explanation does not use. */
  lost: readonly Write[];
}

/**
 * Explains each version of an item since the last comparison. The cause is an acknowledged write, a write with a lost
 * response, or a recalculation that changed values. The service hides values of retired fields, so several
 * explanations may remain. `isRight` removes those with a wrong final state. Stores the states by version, and returns
 * the explanations.
 */
export function explain(
  collection: Collection,
  item: Item,
  final: number,
  isRight: (state: State) => boolean,
): Explanation[] {
  const lost = item.writes.filter(({ version }) => version === null);
  const { base } = item;
  let explanations: Explanation[] = base
    ? base.states.map((state) => ({ state, epoch: base.epoch, lost }))
    : [{ state: null, epoch: 0, lost }];
  for (let version = base?.version ?? 0; version <= final; version += 1) {
    const consistent = explanations.filter(
      ({ state }) => !state || isConsistent(collection, item, version, state),
    );
    explanations =
      version === final ? consistent.filter(({ state }) => state && isRight(state)) : consistent;
    if (explanations.length === 0) throw unexplained(collection, item, version, final);
    const states = explanations.flatMap(({ state }) => state ?? []);
    item.states.set(version, distinct(states));
    if (version === final) return explanations;
    const extended = explanations.flatMap((explanation) => [
      ...successors(collection, item, version + 1, explanation),
    ]);
    if (extended.length === 0) throw unexplained(collection, item, version + 1, final);
    explanations = distinct(extended);
  }
  return explanations;
}

function distinct<T>(values: readonly T[]): T[] {
  return values.filter(
    (value, index) => values.findIndex((other) => isDeepStrictEqual(other, value)) === index,
  );
}

function unexplained(collection: Collection, item: Item, version: number, final: number) {
  const { base } = item;
  const from = base?.epoch ?? 0;
  return item.wrong(
    [
      `version ${version} of ${final} is explained by nothing; what is known:`,
      `  base: ${JSON.stringify(base)}`,
      ...[...item.seen].map(
        ([seenVersion, observed]) => `  ${seenVersion}: ${JSON.stringify(observed)}`,
      ),
      "writes:",
      ...item.writes.map((write) => `  ${JSON.stringify(write)}`),
      "definitions:",
      ...collection.epochs
        .slice(from)
        .map(
          ({ version: epochVersion, state, definition }, index) =>
            `  ${from + index}: version ${epochVersion} ${state}: ${summary(definition)}`,
        ),
    ].join("\n"),
  );
}

function* successors(
  collection: Collection,
  item: Item,
  version: number,
  { state: previous, epoch, lost }: Explanation,
): Generator<Explanation> {
  const observed = item.seen.get(version);
  const isPossible = (state: State, by: string) =>
    !isDeepStrictEqual(state, previous) &&
    (!observed || (observed.updatedBy === by && matchesObserved(state, observed)));
  const acknowledged = item.writes.filter((write) => write.version === version);
  const writes = previous?.status === "closed" ? [] : [...acknowledged, ...lost];
  for (const write of writes) {
    const { from, to } = write.span;
    for (const candidate of collection.possible({ from: Math.max(from, epoch), to })) {
      const state = applyWrite(write, previous, candidate);
      if (!state || !isPossible(state, write.by)) continue;
      yield {
        state,
        epoch: candidate.index,
        lost: lost.filter((otherWrite) => otherWrite !== write),
      };
    }
  }
  if (!previous) return;
  for (const candidate of collection.possible({ from: epoch, to: Infinity })) {
    const state = { ...previous, values: withComputed(candidate.definition, previous.values) };
    if (isPossible(state, "system")) yield { state, epoch: candidate.index, lost };
  }
}

/** Whether the state agrees with the observation of this version, and with all writes that returned the version. */
function isConsistent(collection: Collection, item: Item, version: number, state: State): boolean {
  const observed = item.seen.get(version);
  if (observed && !matchesObserved(state, observed)) return false;
  return item.writes
    .filter((write) => write.version === version && write.kind === "patch")
    .every((write) =>
      collection
        .possible(write.span)
        .some((epoch) => isDeepStrictEqual(applyWrite(write, state, epoch), state)),
    );
}

function matchesObserved(state: State, observed: Seen): boolean {
  return (
    state.status === observed.status &&
    Object.entries(observed.values).every(([name, value]) =>
      isDeepStrictEqual(state.values[name] ?? null, value),
    )
  );
}

/** Applies a write to a state under a definition. Returns undefined if the service would reject the write. */
function applyWrite(write: Write, before: State | null, { definition }: Epoch): State | undefined {
  if ((write.kind === "create") !== (before === null)) return undefined;
  const values = before ? { ...before.values } : defaultValues(definition);
  const fields = new Map(definition.fields.map((field) => [field.key, field]));
  for (const [key, sentValue] of Object.entries(write.data)) {
    const field = fields.get(key);
    if (!field) return undefined;
    const value = storedValue(field, definition.zone, sentValue);
    if (value === null) delete values[field.name];
    else values[field.name] = value;
  }
  const status = write.status ?? before?.status ?? null;
  return { values: withComputed(definition, values), status };
}

function defaultValues({ fields }: Definition): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, rules }) =>
      rules["default"] === undefined ? [] : [[name, rules["default"]]],
    ),
  );
}
