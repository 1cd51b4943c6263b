import { type ApiCode, apiCodes, problems } from "#domain/problem/catalogue.ts";
import { ref, text, uri, type Schema, typeName } from "./schema.ts";
import { problemExample, problemName } from "./problem-schemas.ts";

/** A header: what it says, its schema, and whether each answer that names it has it. */
type Header = [description: string, schema: Schema, required: boolean];

const matching = (pattern: string): Schema => ({ type: "string", pattern });
const seconds: Schema = { type: "integer", format: "int32", minimum: 1 };
const policy: Header = ["The limits of the credential.", matching(";q=\\d+;w=60"), true];
const left: Header = [
  "What is left of them, and in how many seconds there is more.",
  matching(";r=\\d+;t=\\d+"),
  true,
];
const sometimes = ([description, schema]: Header): Header => [description, schema, false];
const flag = (description: string): Header => [
  description,
  { type: "string", const: "true" },
  false,
];

/** Headers of answers, by the names of their components: those that are not in every answer have a name of their own. */
const headers: Record<string, Header> = {
  "X-Request-Id": ["What the log calls this request.", text, true],
  "RateLimit-Policy": policy,
  RateLimit: left,
  "RateLimit-Policy.known": sometimes(policy),
  "RateLimit.known": sometimes(left),
  "Retry-After": ["Seconds to wait; never too few.", seconds, true],
  "WWW-Authenticate": ["What is missing (RFC 6750).", matching("^Bearer "), true],
  "Accept-Encoding": ["The coding that is taken (RFC 9110).", text, false],
  ETag: ["The version, in quotes.", matching('^"[^"]+"$'), true],
  Location: ["The address of what was created.", uri, true],
  Link: [
    'The next page, with rel="next" (RFC 8288); absent on the last one.',
    matching('^<.+>; rel="next"$'),
    false,
  ],
  "Content-Disposition": ["The name of the file, for downloads.", matching("^attachment"), false],
  "Idempotent-Replayed": flag("The key was used before: this is the first result."),
  "Idempotency-Key-Mismatch": flag("The key came with another body the first time."),
};

export function headerComponents(): Schema {
  return Object.fromEntries(
    Object.entries(headers).map(([name, [description, schema, required]]) => [
      name,
      { description, schema, required },
    ]),
  );
}

const refs = (names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name.replace(".known", ""), ref("headers", name)]));

/** The headers of an answer to a credential that is good: those of all, and its own. */
export function headersOf(...own: string[]): Schema {
  return refs(["X-Request-Id", "RateLimit-Policy", "RateLimit", ...own]);
}

/** The headers of an error answer. What fails before the credential's limits are known does not tell them. */
export function problemHeaders(status: number, codes: readonly ApiCode[]): Schema {
  switch (status) {
    case 401:
      return refs(["X-Request-Id", "WWW-Authenticate"]);
    case 403:
      return headersOf("WWW-Authenticate");
    case 429:
    case 503:
      return refs(["X-Request-Id", "RateLimit-Policy.known", "RateLimit.known", "Retry-After"]);
    case 500:
      return refs(["X-Request-Id", "RateLimit-Policy.known", "RateLimit.known"]);
    case 415:
      return headersOf("Accept-Encoding");
    default:
      return codes.includes("indexing") ? headersOf("Retry-After") : headersOf();
  }
}

/** What stands before an operation: whether it needs a permission, and whether its path can lead nowhere. */
export interface Behind {
  permitted: boolean;
  found: boolean;
}

const always: readonly ApiCode[] = ["unauthenticated", "rate_limited", "internal", "try_again"];
const everywhere: Behind = { permitted: true, found: true };

/** The error answers of an operation: those that each can have, and its own. */
export function refusals(codes: readonly ApiCode[], behind: Behind = everywhere): Schema {
  const all = new Set<ApiCode>([
    ...always,
    ...(behind.permitted ? (["permission_required"] as const) : []),
    ...(behind.found ? (["not_found"] as const) : []),
    ...codes,
  ]);
  const sorted = apiCodes.filter((code) => all.has(code));
  const byStatus = Object.groupBy(sorted, (code) => problems[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, some]) => [status, ref("responses", nameOf(some))]),
  );
}

/** Named by their problems: two operations that refuse with the same ones share the answer. */
const nameOf = (codes: readonly ApiCode[]) => codes.map(typeName).join("Or");
const byName = new Map(apiCodes.map((code) => [typeName(code), code]));
const codesOf = (name: string) =>
  name.split(/Or(?=[A-Z])/).flatMap((each) => byName.get(each) ?? []);

/** The error answers of these names. */
export function problemResponses(names: Iterable<string>, origin: string): Schema {
  return Object.fromEntries(
    [...names].toSorted().map((name) => [name, problemResponse(codesOf(name), origin)]),
  );
}

function problemResponse(codes: readonly ApiCode[], origin: string): Schema {
  const schemas = codes.map((code) => ref("schemas", problemName(code)));
  const [only] = schemas;
  const mapping = Object.fromEntries(
    codes.map((code) => [code, `#/components/schemas/${problemName(code)}`]),
  );
  const discriminator = { propertyName: "code", mapping };
  const examples = codes.map((code) => [code, { value: problemExample(code, origin) }] as const);
  const [{ status } = problems.internal] = codes.map((code) => problems[code]);
  return {
    headers: problemHeaders(status, codes),
    description: codes.map((code) => problems[code].title).join(", or "),
    content: {
      "application/problem+json": {
        schema: codes.length === 1 ? only : { oneOf: schemas, discriminator },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export function json(schema: Schema, example?: unknown): Schema {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

/** An answer to a good credential, with the headers that it has besides those of all. */
export function answered(description: string, content?: Schema, ...own: string[]): Schema {
  return { description, headers: headersOf(...own), ...(content ? { content } : {}) };
}
