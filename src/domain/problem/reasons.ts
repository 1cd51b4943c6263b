import { lazy } from "#domain/lazy.ts";
import { reasonTexts } from "./reason-texts.ts";

export type ReasonKey = keyof typeof reasonTexts;

/** The names in braces. Braces that contain more than a name, like `{n,m}`, are not parameters. */
type ParameterOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string},${string}` ? never : Name) | ParameterOf<Rest>
  : never;

/** The parameters of a sentence. They are strings when they were parsed from a text. */
export type ReasonValues<Key extends ReasonKey, Value = string> = Record<
  ParameterOf<(typeof reasonTexts)[Key]>,
  Value
>;

declare const fromCatalogue: unique symbol;
/** A sentence of the catalogue with its values filled in. */
export type Reason = string & { readonly [fromCatalogue]: true };

const parameters = /\{(\w+)\}/g;

/** Returns a sentence of the catalogue: `reasonFor("tooSmall", { minimum: 1 })`. */
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
  /** The fixed parts of the text, with the names of its parameters between them. */
  parts: readonly string[];
  names: readonly string[];
}

const fixedLength = (text: string): number => text.replaceAll(parameters, "").length;

/** Sentences with more fixed text come first, because they are more specific. */
const matchers = lazy((): readonly Matcher[] => {
  return Object.entries(reasonTexts)
    .toSorted(([, a], [, b]) => fixedLength(b) - fixedLength(a))
    .map(([key, text]) => ({
      key: key as ReasonKey,
      parts: text.split(/\{\w+\}/),
      names: Array.from(text.matchAll(parameters), ([, name = ""]) => name),
    }));
});

/**
 * Reads the values between the fixed parts of a sentence. Undefined if the text is another sentence. A value ends where
 * the next part first occurs. A regular expression would try all positions, which takes very long for texts that repeat
 * a part.
 */
function readValues(
  sentence: string,
  { parts, names }: Matcher,
): Record<string, string> | undefined {
  const values: Record<string, string> = {};
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return sentence === first ? values : undefined;
  if (!sentence.startsWith(first) || !sentence.endsWith(last)) return undefined;
  const end = sentence.length - last.length;
  let position = first.length;
  for (const [index, name] of names.entries()) {
    const part = others[index];
    const valueEnd = part === undefined ? end : sentence.indexOf(part, position);
    if (valueEnd < position || valueEnd > end) return undefined;
    const value = sentence.slice(position, valueEnd);
    if (Object.hasOwn(values, name) && values[name] !== value) return undefined;
    values[name] = value;
    position = valueEnd + (part?.length ?? 0);
  }
  return values;
}

/** Finds the key and the values of a sentence that `reasonFor` has built. Returns undefined for other texts. */
export function readReason(text: string): ReasonParts | undefined {
  for (const matcher of matchers()) {
    const values = readValues(text, matcher);
    if (values) return { key: matcher.key, values } as ReasonParts;
  }
  return undefined;
}
