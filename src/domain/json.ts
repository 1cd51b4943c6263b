/** A number of a body that no double holds as it was written: fields refuse it with `not_exact`. */
export class InexactNumber {
  /** As it was sent. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Where a number may be inexact: 16 digits in a row, or an exponent. Ordinary bodies have neither. */
const suspicious = /\d(?:\.?\d){15}|\d[eE][+-]?\d/;

/** JSON.parse, in which numbers that doubles do not hold are told apart. Throws what JSON.parse throws. */
export function parseJson(text: string): unknown {
  if (!suspicious.test(text)) return JSON.parse(text) as unknown;
  // What is no JSON is told by where it goes wrong in what was sent.
  const parsed = JSON.parse(text) as unknown;
  const found: string[] = [];
  const mark = `inexact ${crypto.randomUUID()} `;
  const marked = text.replace(token, (each) => {
    if (each.startsWith('"') || each.length < 4 || isExact(Number(each), each)) return each;
    found.push(each);
    return `"${mark}${found.length - 1}"`;
  });
  return found.length === 0 ? parsed : unmarked(JSON.parse(marked), mark, found);
}

const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Whether a JSON text has more values than these, told before any of them is made. */
export function hasMoreValues(text: string, limit: number): boolean {
  // A value takes two characters at least.
  if (text.length <= limit * 2) return false;
  let values = 1;
  let quoted = false;
  for (let at = 0; at < text.length && values <= limit; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) quoted = !quoted;
    else if (quoted) at += unit === backslash ? 1 : 0;
    else if (unit === comma || unit === bracket || unit === brace) values += 1;
  }
  return values > limit;
}

/** The strings and the numbers of a JSON text. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function unmarked(document: unknown, mark: string, found: readonly string[]): unknown {
  const root = { document };
  const open: (unknown[] | Record<string, unknown>)[] = [root];
  for (let within = open.pop(); within; within = open.pop()) {
    for (const [key, value] of Object.entries(within)) {
      if (typeof value === "object" && value !== null) open.push(value as Record<string, unknown>);
      if (typeof value !== "string" || !value.startsWith(mark)) continue;
      const source = found[Number(value.slice(mark.length))] ?? "";
      Object.defineProperty(within, key, {
        value: new InexactNumber(source),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return root.document;
}

function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && digitsOf(String(value)) === digitsOf(source);
}

/** Sign, significant digits and exponent of a number's text, so that 1.50 and 15e-1 are the same. */
function digitsOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  // The place of the last significant digit.
  const place = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${place}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof InexactNumber)
  );
}

/** JSON with sorted keys, so that two writings of one body are the same. */
export function canonical(body: unknown): string {
  try {
    return JSON.stringify(body, sortKeys);
  } catch {
    // Nested beyond the stack: no body of ours is, so whatever it is, it is refused later on.
    return "";
  }
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
