import { reasonFor, type Reason } from "./problem/reasons.ts";
/** A number that a double cannot represent exactly. Fields reject it with `not_exact`. */
export class InexactNumber {
  /** The text of the number in the request. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Returns the reason for `not_exact`, with the nearest number that a double can represent. */
export function describeInexactNumber({ source }: InexactNumber): Reason {
  const nearest = Number(source);
  const excerpt = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  return Number.isFinite(nearest)
    ? reasonFor("inexactNumberNear", { number: excerpt, nearest })
    : reasonFor("inexactNumber", { number: excerpt });
}

/** A number may be inexact if it has 16 digits or an exponent. Ordinary bodies have neither. */
const inexactPattern = /\d(?:\.?\d){15}|\d[eE][+-]?\d/;

/** Parses JSON like JSON.parse, but replaces numbers that a double cannot represent by an `InexactNumber`. */
export function parseJson(text: string): unknown {
  if (!inexactPattern.test(text)) return JSON.parse(text) as unknown;
  // Parses the original text first, so that a syntax error names a position in the request.
  const parsed = JSON.parse(text) as unknown;
  const sources: string[] = [];
  const marker = findUnusedMarker(parsed);
  const markedText = text.replace(tokenPattern, (token) => {
    if (token.startsWith('"') || token.length < 4 || isExact(Number(token), token)) return token;
    sources.push(token);
    return `"${marker}${sources.length - 1}"`;
  });
  return sources.length === 0
    ? parsed
    : insertInexactNumbers(JSON.parse(markedText), marker, sources);
}

const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];
const [closingBracket, closingBrace] = [0x5d, 0x7d];

/**
 * Returns the limit that a JSON text exceeds, without parsing the text. Checks the number of values before the number
 * of levels. A single object has one level.
 */
export function findExceededLimit(
  text: string,
  { maxValues, maxLevels }: { maxValues: number; maxLevels: number },
): "values" | "levels" | undefined {
  // A value takes at least two characters.
  const mayHaveMoreValues = text.length > maxValues * 2;
  let values = 1;
  let level = 0;
  let isTooDeep = false;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const codeUnit = text.charCodeAt(index);
    if (codeUnit === quote) isInString = !isInString;
    else if (isInString) index += codeUnit === backslash ? 1 : 0;
    else if (codeUnit === comma || codeUnit === bracket || codeUnit === brace) {
      values += 1;
      if (values > maxValues) return "values";
      if (codeUnit !== comma) level += 1;
      isTooDeep ||= level > maxLevels;
      if (isTooDeep && !mayHaveMoreValues) return "levels";
    } else if (codeUnit === closingBracket || codeUnit === closingBrace) level -= 1;
  }
  return isTooDeep ? "levels" : undefined;
}

/** Finds the path of the first array or object below this many levels. Recursion ends at that level. */
export function findTooDeepPath(
  value: unknown,
  maxLevels: number,
): (string | number)[] | undefined {
  if (typeof value !== "object" || value === null || value instanceof InexactNumber)
    return undefined;
  if (maxLevels === 0) return [];
  for (const [key, member] of Object.entries(value)) {
    const path = findTooDeepPath(member, maxLevels - 1);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return undefined;
}

/** Matches the strings and the numbers of a JSON text. */
const tokenPattern = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Finds a start for marker strings that no string of the document has, so that no string is mistaken for a number. */
function findUnusedMarker(document: unknown): string {
  const usedNumbers = new Set<string>();
  forEachString({ document }, (value) => {
    const [, number] = /^inexact (\d{1,9}) /.exec(value) ?? [];
    if (number !== undefined) usedNumbers.add(number);
  });
  let number = 0;
  while (usedNumbers.has(String(number))) number += 1;
  return `inexact ${number} `;
}

function insertInexactNumbers(
  document: unknown,
  marker: string,
  sources: readonly string[],
): unknown {
  const root = { document };
  forEachString(root, (value, key, container) => {
    if (!value.startsWith(marker)) return;
    const source = sources[Number(value.slice(marker.length))] ?? "";
    Object.defineProperty(container, key, {
      value: new InexactNumber(source),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  });
  return root.document;
}

/** Visits every string value. A stack replaces recursion, because a document may nest deeper than the call stack. */
function forEachString(
  root: object,
  visit: (value: string, key: string, container: object) => void,
): void {
  const stack = [root];
  for (let container = stack.pop(); container; container = stack.pop()) {
    for (const [key, value] of Object.entries(container) as [string, unknown][]) {
      if (typeof value === "object" && value !== null) stack.push(value);
      else if (typeof value === "string") visit(value, key, container);
    }
  }
}

function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && normalizeNumber(String(value)) === normalizeNumber(source);
}

/** Normalizes a number's text to sign, significant digits and exponent, so that 1.50 and 15e-1 are equal. */
function normalizeNumber(text: string): string {
  const [, sign = "", integer = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (integer + fraction).replace(/^0+/, "");
  const significant = withoutTrailingZeros(digits);
  if (significant === "") return "0";
  // The decimal position of the last significant digit.
  const position = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${position}`;
}

/** Avoids `/0+$/`, which takes quadratic time if another digit follows a long run of zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof InexactNumber)
  );
}

/** Formats JSON with sorted keys, so that equivalent bodies have the same text. */
export function toCanonicalJson(body: unknown): string {
  try {
    return JSON.stringify(body, sortKeys);
  } catch {
    // The body is nested too deeply for the stack. Validation rejects such a body later.
    return "";
  }
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
