import { lazy } from "#domain/lazy.ts";
import { reasonTexts } from "./reason-texts.ts";

export type ReasonKey = keyof typeof reasonTexts;

/** The names in braces. Braces around more than a name, like `{n,m}`, are no parameter. */
type ParameterOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string},${string}` ? never : Name) | ParameterOf<Rest>
  : never;

/** The parameters of a sentence. Read from a text, they are strings. */
export type ReasonValues<Key extends ReasonKey, Value = string> = Record<
  ParameterOf<(typeof reasonTexts)[Key]>,
  Value
>;

declare const fromCatalogue: unique symbol;
/** A sentence of the catalogue, with its values filled in. */
export type Reason = string & { readonly [fromCatalogue]: true };

const parameters = /\{(\w+)\}/g;

/** A sentence of the catalogue: `reasonFor("tooSmall", { minimum: 1 })`. */
export function reasonFor<Key extends ReasonKey>(
  key: Key,
  ...values: [ParameterOf<(typeof reasonTexts)[Key]>] extends [never]
    ? []
    : [ReasonValues<Key, string | number>]
): Reason {
  const filled: Record<string, string | number> = values[0] ?? {};
  const text = reasonTexts[key].replaceAll(parameters, (_, name: string) => String(filled[name]));
  return text as Reason;
}

/** The key of a sentence, and its values. */
export type ReasonParts = {
  [Key in ReasonKey]: { key: Key; values: ReasonValues<Key> };
}[ReasonKey];

interface Matcher {
  key: ReasonKey;
  pattern: RegExp;
}

const fixedLength = (text: string): number => text.replaceAll(parameters, "").length;

/** Sentences with more fixed text come first, because they are more specific. */
const matchers = lazy((): readonly Matcher[] => {
  return Object.entries(reasonTexts)
    .toSorted(([, a], [, b]) => fixedLength(b) - fixedLength(a))
    .map(([key, text]) => ({ key: key as ReasonKey, pattern: matcherOf(text) }));
});

function matcherOf(text: string): RegExp {
  const names = new Set<string>();
  const source = text.split(/(\{\w+\})/).map((part) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined) return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
    const isRepeated = names.has(name);
    names.add(name);
    return isRepeated ? `\\k<${name}>` : `(?<${name}>[^]*)`;
  });
  return RegExp(`^${source.join("")}$`);
}

/** Finds the key and the values of a sentence that `reasonFor` has built. Undefined for other texts. */
export function readReason(text: string): ReasonParts | undefined {
  for (const { key, pattern } of matchers()) {
    const match = pattern.exec(text);
    if (match) return { key, values: match.groups ?? {} } as ReasonParts;
  }
  return undefined;
}
