import { isDeepStrictEqual } from "node:util";
import { computed, summary, type Definition } from "./definition.ts";
import type { Values } from "./formulas.ts";
import type { Collection, Epoch, Item, Seen, State, Write } from "./model.ts";
import { storedValue } from "./values.ts";

/** One way in which an item may have come to a version. */
interface Way {
  /** Null before it was made. */
  state: State | null;
  epoch: number;
  /** Writes whose answers were lost, and that are not part of it. */
  lost: readonly Write[];
}

/**
 * Explains how an item came to be what it is: each version since the last comparison by one write that was answered
 * with it, by one whose answer was lost, or by a recalculation that changed values. What retired fields hold is not
 * shown, so there may be several ways; `isRight` leaves out those that end wrong. Keeps the states by version, and gives
 * the ways.
 */
export function explain(
  collection: Collection,
  item: Item,
  final: number,
  isRight: (state: State) => boolean,
): Way[] {
  const lost = item.writes.filter(({ version }) => version === null);
  const { base } = item;
  let ways: Way[] = base
    ? base.states.map((state) => ({ state, epoch: base.epoch, lost }))
    : [{ state: null, epoch: 0, lost }];
  for (let version = base?.version ?? 0; version <= final; version += 1) {
    const fitting = ways.filter(({ state }) => !state || fits(collection, item, version, state));
    ways = version === final ? fitting.filter(({ state }) => state && isRight(state)) : fitting;
    if (ways.length === 0) throw unexplained(collection, item, version, final);
    const states = ways.flatMap(({ state }) => state ?? []);
    item.states.set(version, once(states));
    if (version === final) return ways;
    const next = ways.flatMap((way) => [...successors(collection, item, version + 1, way)]);
    if (next.length === 0) throw unexplained(collection, item, version + 1, final);
    ways = once(next);
  }
  return ways;
}

function once<T>(all: readonly T[]): T[] {
  return all.filter((one, at) => all.findIndex((each) => isDeepStrictEqual(each, one)) === at);
}

function unexplained(collection: Collection, item: Item, version: number, final: number) {
  const { base } = item;
  const from = base?.epoch ?? 0;
  return item.wrong(
    [
      `version ${version} of ${final} is explained by nothing; what is known:`,
      `  base: ${JSON.stringify(base)}`,
      ...[...item.seen].map(([seen, each]) => `  ${seen}: ${JSON.stringify(each)}`),
      "writes:",
      ...item.writes.map((write) => `  ${JSON.stringify(write)}`),
      "definitions:",
      ...collection.epochs
        .slice(from)
        .map(
          ({ version: number, state, definition }, at) =>
            `  ${from + at}: version ${number} ${state}: ${summary(definition)}`,
        ),
    ].join("\n"),
  );
}

function* successors(
  collection: Collection,
  item: Item,
  version: number,
  { state: before, epoch, lost }: Way,
): Generator<Way> {
  const seen = item.seen.get(version);
  const possible = (state: State, by: string) =>
    !isDeepStrictEqual(state, before) && (!seen || (seen.updatedBy === by && isSeen(state, seen)));
  const answered = item.writes.filter((write) => write.version === version);
  const writes = before?.status === "closed" ? [] : [...answered, ...lost];
  for (const write of writes) {
    const { from, to } = write.span;
    for (const each of collection.possible({ from: Math.max(from, epoch), to })) {
      const state = applied(write, before, each);
      if (!state || !possible(state, write.by)) continue;
      yield { state, epoch: each.index, lost: lost.filter((other) => other !== write) };
    }
  }
  if (!before) return;
  for (const each of collection.possible({ from: epoch, to: Infinity })) {
    const state = { ...before, values: computed(each.definition, before.values) };
    if (possible(state, "system")) yield { state, epoch: each.index, lost };
  }
}

/** Whatever else was answered with this version changed nothing, or is what made it: it holds in this state. */
function fits(collection: Collection, item: Item, version: number, state: State): boolean {
  const seen = item.seen.get(version);
  if (seen && !isSeen(state, seen)) return false;
  return item.writes
    .filter((write) => write.version === version && write.kind === "patch")
    .every((write) =>
      collection
        .possible(write.span)
        .some((epoch) => isDeepStrictEqual(applied(write, state, epoch), state)),
    );
}

function isSeen(state: State, seen: Seen): boolean {
  return (
    state.status === seen.status &&
    Object.entries(seen.values).every(([name, value]) =>
      isDeepStrictEqual(state.values[name] ?? null, value),
    )
  );
}

/** What a write makes of a state under a definition; undefined where it would be refused. */
function applied(write: Write, before: State | null, { definition }: Epoch): State | undefined {
  if ((write.kind === "create") !== (before === null)) return undefined;
  const values = before ? { ...before.values } : defaults(definition);
  const fields = new Map(definition.fields.map((field) => [field.key, field]));
  for (const [key, sent] of Object.entries(write.data)) {
    const field = fields.get(key);
    if (!field) return undefined;
    const value = storedValue(field, definition.zone, sent);
    if (value === null) delete values[field.name];
    else values[field.name] = value;
  }
  const status = write.status ?? before?.status ?? null;
  return { values: computed(definition, values), status };
}

function defaults({ fields }: Definition): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, rules }) =>
      rules["default"] === undefined ? [] : [[name, rules["default"]]],
    ),
  );
}
