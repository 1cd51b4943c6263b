import fc from "fast-check";
import type { Json } from "../support/client";
import { key, text, value } from "./values";

/** Small changes of documents. `at` counts places and wraps around, so that a change fits every document. */
export type Mutation =
  | { change: "replace"; at: number; value: Json }
  | { change: "add"; at: number; key: string; value: Json }
  | { change: "rename"; at: number; key: string }
  | { change: "delete" | "duplicate" | "swap" | "wrap"; at: number }
  | { change: "copy" | "move"; at: number; from: number }
  | { change: "write"; at: number; text: string; where: number }
  | { change: "count"; at: number; by: number }
  /** Sets a property of an object that has a `type`: of a field, in definitions. */
  | { change: "rule"; at: number; key: string; value: Json };

type Path = (string | number)[];

const at = fc.nat(400);

/** Properties whose values are more than values. */
const languages = ["pattern", "formula", "default", "fields"];

/** `rules` are the values that properties of fields are given, by their names. */
export function mutation(rules: Record<string, fc.Arbitrary<Json>> = {}): fc.Arbitrary<Mutation> {
  const named = Object.entries(rules).map(([name, values]) => ({
    weight: languages.includes(name) ? 5 : 1,
    arbitrary: fc.record({
      change: fc.constant("rule" as const),
      at,
      key: fc.constant(name),
      value: values,
    }),
  }));
  const change = <Name extends string>(...names: Name[]) => fc.constantFrom(...names);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ change: change("replace"), at, value }) },
    { weight: 2, arbitrary: fc.record({ change: change("add"), at, key, value }) },
    { weight: 1, arbitrary: fc.record({ change: change("rename"), at, key }) },
    {
      weight: 5,
      arbitrary: fc.record({ change: change("delete", "duplicate", "swap", "wrap"), at }),
    },
    { weight: 3, arbitrary: fc.record({ change: change("copy", "move"), at, from: at }) },
    { weight: 2, arbitrary: fc.record({ change: change("write"), at, text, where: fc.nat(20) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        change: change("count"),
        at,
        by: fc.constantFrom(-1, 1, -1000, 1e6, 0.5, 1e300),
      }),
    },
    ...(named.length > 0 ? [{ weight: 10, arbitrary: fc.oneof(...named) }] : []),
  );
}

export function mutated(document: Json, mutations: readonly Mutation[]): Json {
  return mutations.reduce(changed, document);
}

function changed(document: Json, by: Mutation): Json {
  const all = placesOf(document);
  const pick = (some: Path[]) => some[by.at % Math.max(1, some.length)];
  switch (by.change) {
    case "replace":
      return edited(document, pick(all), () => by.value);
    case "write":
      return edited(
        document,
        pick(all.filter((path) => typeof valueAt(document, path) === "string")),
        (old) => {
          const cut = by.where % (old.length + 1);
          return old.slice(0, cut) + by.text + old.slice(cut);
        },
      );
    case "count":
      return edited(
        document,
        pick(all.filter((path) => typeof valueAt(document, path) === "number")),
        (old) => old + by.by,
      );
    case "wrap":
      return edited(document, pick(all), (old) => (by.at % 2 ? [old] : { value: old }));
    case "rule": {
      const having = (name: string) =>
        all.filter((path) => valueAt(document, [...path, name]) !== undefined);
      // Mostly where the rule stands already: elsewhere many are refused for their name alone.
      const ruled = by.at % 4 === 0 ? [] : having(by.key);
      const places = ruled.length > 0 ? ruled : having("type");
      if (places.length === 0) return edited(document, pick(all), () => by.value);
      return edited(document, pick(places), (old) => ({ ...old, [by.key]: by.value }));
    }
    case "copy":
    case "move": {
      const from = all[by.from % all.length];
      const copied = valueAt(document, from ?? []);
      const put = edited(document, pick(all), () => copied);
      return by.change === "copy" ? put : without(put, from);
    }
    case "delete":
      return without(document, pick(all.slice(1)));
    case "add":
      return edited(document, pick(all), (old) =>
        withEntries(old, (entries) => [[by.key, by.value], ...entries]),
      );
    case "rename":
    case "duplicate":
    case "swap":
      return rearranged(document, pick(all.slice(1)), by);
  }
}

/** The parent of the place, its entries in another order, or with other names. */
function rearranged(document: Json, path: Path | undefined, by: Mutation): Json {
  if (!path) return document;
  return edited(document, path.slice(0, -1), (parent) =>
    withEntries(parent, (entries) => {
      const index = entries.findIndex(([step]) => step === path.at(-1));
      const [name, child] = entries[index] ?? ["", null];
      if (by.change === "rename") return entries.with(index, [by.key, child]);
      if (by.change === "duplicate") {
        const again = by.at % 2 ? `${name}<twice>` : `${name}_2`;
        return entries.toSpliced(index, 0, [again, child]);
      }
      const other = (index + 1) % entries.length;
      const [otherName, otherValue] = entries[other] ?? ["", null];
      return entries.with(index, [name, otherValue]).with(other, [otherName, child]);
    }),
  );
}

/** The whole first, then every part of it. */
export function placesOf(node: Json, path: Path = []): Path[] {
  if (!isNode(node)) return [path];
  const children: Entry[] = Array.isArray(node) ? [...node.entries()] : Object.entries(node);
  return [path, ...children.flatMap(([name, child]) => placesOf(child, [...path, name]))];
}

function valueAt(document: Json, path: Path): Json {
  return path.reduce<Json>(
    (part, step) => (isNode(part) && Object.hasOwn(part, step) ? part[step] : undefined),
    document,
  );
}

/** A copy, with another value at `path`; a property `__proto__` is kept. */
function edited(node: Json, path: Path | undefined, edit: (old: Json) => Json): Json {
  if (!path) return node;
  const [step, ...rest] = path;
  if (step === undefined) return edit(node);
  return withEntries(node, (entries) =>
    entries.map(([name, child]) => [name, name === step ? edited(child, rest, edit) : child]),
  );
}

function without(document: Json, path: Path | undefined): Json {
  if (!path || path.length === 0) return document;
  return edited(document, path.slice(0, -1), (parent) =>
    withEntries(parent, (entries) => entries.filter(([name]) => name !== path.at(-1))),
  );
}

type Entry = [name: string | number, value: Json];

/** A copy of a list or an object, with other entries; the names of a list's entries do not count. */
function withEntries(node: Json, change: (entries: Entry[]) => Entry[]): Json {
  if (Array.isArray(node)) return change([...node.entries()]).map(([, child]) => child);
  return isNode(node) ? Object.fromEntries(change(Object.entries(node))) : node;
}

function isNode(node: Json): boolean {
  return typeof node === "object" && node !== null;
}
