import fc from "fast-check";
import type { Json } from "../support/client";
import { key, text, value } from "./values";

/** Small changes of a document. `at` selects a value by its index modulo their number, so that a change fits any document. */
export type Mutation =
  | { change: "replace"; at: number; value: Json }
  | { change: "add"; at: number; key: string; value: Json }
  | { change: "rename"; at: number; key: string }
  | { change: "delete" | "duplicate" | "swap" | "wrap"; at: number }
  | { change: "copy" | "move"; at: number; from: number }
  | { change: "write"; at: number; text: string; where: number }
  | { change: "count"; at: number; by: number }
  /** Sets a property of an object with a `type`, which is a field in definitions. */
  | { change: "rule"; at: number; key: string; value: Json };

type Path = (string | number)[];

const at = fc.nat(400);

/** Properties with a syntax of their own, which get more weight. */
const weightedRules = ["pattern", "formula", "default", "fields"];

/** Any mutation. `rules` has the values for properties of fields, by name. */
export function anyMutation(
  rules: Record<string, fc.Arbitrary<Json>> = {},
): fc.Arbitrary<Mutation> {
  const ruleMutations = Object.entries(rules).map(([name, values]) => ({
    weight: weightedRules.includes(name) ? 5 : 1,
    arbitrary: fc.record({
      change: fc.constant("rule" as const),
      at,
      key: fc.constant(name),
      value: values,
    }),
  }));
  const kinds = <Name extends string>(...names: Name[]) => fc.constantFrom(...names);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ change: kinds("replace"), at, value }) },
    { weight: 2, arbitrary: fc.record({ change: kinds("add"), at, key, value }) },
    { weight: 1, arbitrary: fc.record({ change: kinds("rename"), at, key }) },
    {
      weight: 5,
      arbitrary: fc.record({ change: kinds("delete", "duplicate", "swap", "wrap"), at }),
    },
    { weight: 3, arbitrary: fc.record({ change: kinds("copy", "move"), at, from: at }) },
    { weight: 2, arbitrary: fc.record({ change: kinds("write"), at, text, where: fc.nat(20) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        change: kinds("count"),
        at,
        by: fc.constantFrom(-1, 1, -1000, 1e6, 0.5, 1e300),
      }),
    },
    ...(ruleMutations.length > 0 ? [{ weight: 10, arbitrary: fc.oneof(...ruleMutations) }] : []),
  );
}

export function applyMutations(document: Json, mutations: readonly Mutation[]): Json {
  return mutations.reduce(applyMutation, document);
}

function applyMutation(document: Json, mutation: Mutation): Json {
  const paths = allPaths(document);
  const pick = (candidates: Path[]) => candidates[mutation.at % Math.max(1, candidates.length)];
  switch (mutation.change) {
    case "replace":
      return editAt(document, pick(paths), () => mutation.value);
    case "write":
      return editAt(
        document,
        pick(paths.filter((path) => typeof valueAt(document, path) === "string")),
        (old) => {
          const offset = mutation.where % (old.length + 1);
          return old.slice(0, offset) + mutation.text + old.slice(offset);
        },
      );
    case "count":
      return editAt(
        document,
        pick(paths.filter((path) => typeof valueAt(document, path) === "number")),
        (old) => old + mutation.by,
      );
    case "wrap":
      return editAt(document, pick(paths), (old) => (mutation.at % 2 ? [old] : { value: old }));
    case "rule": {
      const pathsWith = (name: string) =>
        paths.filter((path) => valueAt(document, [...path, name]) !== undefined);
      // Mostly on fields that have the property: on others the service often rejects its name alone.
      const pathsWithRule = mutation.at % 4 === 0 ? [] : pathsWith(mutation.key);
      const targets = pathsWithRule.length > 0 ? pathsWithRule : pathsWith("type");
      if (targets.length === 0) return editAt(document, pick(paths), () => mutation.value);
      return editAt(document, pick(targets), (old) => ({ ...old, [mutation.key]: mutation.value }));
    }
    case "copy":
    case "move": {
      const from = paths[mutation.from % paths.length];
      const source = valueAt(document, from ?? []);
      const result = editAt(document, pick(paths), () => source);
      return mutation.change === "copy" ? result : removeAt(result, from);
    }
    case "delete":
      return removeAt(document, pick(paths.slice(1)));
    case "add":
      return editAt(document, pick(paths), (old) =>
        withEntries(old, (entries) => [[mutation.key, mutation.value], ...entries]),
      );
    case "rename":
    case "duplicate":
    case "swap":
      return rearrangeAt(document, pick(paths.slice(1)), mutation);
  }
}

/** Renames, repeats or swaps an entry of the parent. */
function rearrangeAt(document: Json, path: Path | undefined, mutation: Mutation): Json {
  if (!path) return document;
  return editAt(document, path.slice(0, -1), (parent) =>
    withEntries(parent, (entries) => {
      const index = entries.findIndex(([step]) => step === path.at(-1));
      const [name, child] = entries[index] ?? ["", null];
      if (mutation.change === "rename") return entries.with(index, [mutation.key, child]);
      if (mutation.change === "duplicate") {
        const repeatedName = mutation.at % 2 ? `${name}<twice>` : `${name}_2`;
        return entries.toSpliced(index, 0, [repeatedName, child]);
      }
      const otherIndex = (index + 1) % entries.length;
      const [otherName, otherValue] = entries[otherIndex] ?? ["", null];
      return entries.with(index, [name, otherValue]).with(otherIndex, [otherName, child]);
    }),
  );
}

/** The paths of the document and of every value in it, the document first. */
export function allPaths(node: Json, path: Path = []): Path[] {
  if (!isNode(node)) return [path];
  const children: Entry[] = Array.isArray(node) ? [...node.entries()] : Object.entries(node);
  return [path, ...children.flatMap(([name, child]) => allPaths(child, [...path, name]))];
}

function valueAt(document: Json, path: Path): Json {
  return path.reduce<Json>(
    (node, step) => (isNode(node) && Object.hasOwn(node, step) ? node[step] : undefined),
    document,
  );
}

/** Copies the document with another value at `path`. Keeps a property `__proto__`. */
function editAt(node: Json, path: Path | undefined, edit: (old: Json) => Json): Json {
  if (!path) return node;
  const [step, ...remaining] = path;
  if (step === undefined) return edit(node);
  return withEntries(node, (entries) =>
    entries.map(([name, child]) => [name, name === step ? editAt(child, remaining, edit) : child]),
  );
}

function removeAt(document: Json, path: Path | undefined): Json {
  if (!path || path.length === 0) return document;
  return editAt(document, path.slice(0, -1), (parent) =>
    withEntries(parent, (entries) => entries.filter(([name]) => name !== path.at(-1))),
  );
}

type Entry = [name: string | number, value: Json];

/** Copies a list or an object with other entries. Ignores the indexes of list entries. */
function withEntries(node: Json, change: (entries: Entry[]) => Entry[]): Json {
  if (Array.isArray(node)) return change([...node.entries()]).map(([, child]) => child);
  return isNode(node) ? Object.fromEntries(change(Object.entries(node))) : node;
}

function isNode(node: Json): boolean {
  return typeof node === "object" && node !== null;
}
