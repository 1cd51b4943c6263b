import { lazy } from "#domain/lazy.ts";
import { type ApiCode, apiCodes, problems } from "#domain/problem/catalogue.ts";
import { ref, stringSchema, uriSchema, type Schema, typeName } from "./schema.ts";
import { problemExample, problemName } from "./problem-schemas.ts";

/** A response header. If `required`, every response that lists the header has it. */
type HeaderSpec = [description: string, schema: Schema, required: boolean];

const patternSchema = (pattern: string): Schema => ({ type: "string", pattern });
const secondsSchema: Schema = { type: "integer", format: "int32", minimum: 1 };
const rateLimitPolicy: HeaderSpec = [
  "The limits of the credential.",
  patternSchema(";q=\\d+;w=60"),
  true,
];
const rateLimit: HeaderSpec = [
  "The remaining requests, and the seconds until the window has more.",
  patternSchema(";r=\\d+;t=\\d+"),
  true,
];
const optionalHeader = ([description, schema]: HeaderSpec): HeaderSpec => [
  description,
  schema,
  false,
];
const flagHeader = (description: string): HeaderSpec => [
  description,
  { type: "string", const: "true" },
  false,
];

/** Response headers by component name. The suffix `.known` marks the optional variant of a header. */
const headerSpecs: Record<string, HeaderSpec> = {
  "X-Request-Id": ["The ID of the request in the log.", stringSchema, true],
  "RateLimit-Policy": rateLimitPolicy,
  RateLimit: rateLimit,
  "RateLimit-Policy.known": optionalHeader(rateLimitPolicy),
  "RateLimit.known": optionalHeader(rateLimit),
  "Retry-After": ["The seconds to wait before a retry.", secondsSchema, true],
  "WWW-Authenticate": [
    "Why the request is not authorized (RFC 6750).",
    patternSchema("^Bearer "),
    true,
  ],
  "Accept-Encoding": ["The accepted codings (RFC 9110).", stringSchema, false],
  ETag: ["The version, in quotes.", patternSchema('^"[^"]+"$'), true],
  "ETag.known": ["The stored version, in quotes.", patternSchema('^"[^"]+"$'), false],
  Location: ["The URL of the created resource.", uriSchema, true],
  Link: [
    'The URL of the next page, with rel="next" (RFC 8288). Absent on the last page.',
    patternSchema('^<.+>; rel="next"$'),
    false,
  ],
  "Content-Disposition": ["The file name of a download.", patternSchema("^attachment"), false],
  "Repr-Digest": [
    "The SHA-256 of the whole file (RFC 9530).",
    patternSchema("^sha-256=:.+:$"),
    true,
  ],
  "Accept-Ranges": ["The unit of ranges.", { type: "string", const: "bytes" }, true],
  "Content-Range": ["The part of the file that this response has.", patternSchema("^bytes "), true],
  "Idempotent-Replayed": flagHeader("The key was used before. This is the first result."),
  "Idempotency-Key-Mismatch": flagHeader("The first request with this key had another body."),
};

export function headerComponents(): Schema {
  return Object.fromEntries(
    Object.entries(headerSpecs).map(([name, [description, schema, required]]) => [
      name,
      { description, schema, required },
    ]),
  );
}

const headerRefs = (names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name.replace(".known", ""), ref("headers", name)]));

/** Returns the shared headers and `names`. Without a credential, the response has no limits. */
function responseHeaders(names: readonly string[], mayLackLimits: boolean): Schema {
  const suffix = mayLackLimits ? ".known" : "";
  return headerRefs(["X-Request-Id", `RateLimit-Policy${suffix}`, `RateLimit${suffix}`, ...names]);
}

/** The statuses of problems that occur before the limits of a credential are loaded. */
const statusesWithoutLimits = [401, 429, 500, 503];

/**
 * Returns the headers of an error response. The rate limits are missing when the request failed before they were
 * loaded.
 */
function problemHeaders(status: number, codes: readonly ApiCode[], takesLink: boolean): Schema {
  if (status === 401) return headerRefs(["X-Request-Id", "WWW-Authenticate"]);
  const mayLackLimits = takesLink || statusesWithoutLimits.includes(status);
  return responseHeaders(statusHeaders(status, codes), mayLackLimits);
}

function statusHeaders(status: number, codes: readonly ApiCode[]): string[] {
  switch (status) {
    case 403:
      return ["WWW-Authenticate"];
    case 429:
    case 503:
      return ["Retry-After"];
    case 415:
      return ["Accept-Encoding"];
    case 416:
      return ["Content-Range"];
    default:
      return codes.includes("indexing") ? ["Retry-After"] : [];
  }
}

/** The checks before an operation. */
export interface RouteChecks {
  needsPermission: boolean;
  /** Whether its path can return 404. */
  mayBeMissing: boolean;
  /** Whether a link in the query replaces the credential. */
  takesLink: boolean;
}

const commonProblems: readonly ApiCode[] = [
  "unauthenticated",
  "rate_limited",
  "internal",
  "try_again",
];
const allChecks: RouteChecks = { needsPermission: true, mayBeMissing: true, takesLink: false };

/** Returns the error responses of an operation: the common ones and the ones of `codes`. */
export function errorResponses(codes: readonly ApiCode[], checks: RouteChecks = allChecks): Schema {
  const allCodes = new Set<ApiCode>([
    ...commonProblems,
    ...(checks.needsPermission ? (["permission_required"] as const) : []),
    ...(checks.mayBeMissing ? (["not_found"] as const) : []),
    ...codes,
  ]);
  const sortedCodes = apiCodes.filter((code) => allCodes.has(code));
  const byStatus = Object.groupBy(sortedCodes, (code) => problems[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, statusCodes]) => [
      status,
      ref("responses", responseName(Number(status), statusCodes, checks)),
    ]),
  );
}

/**
 * Returns the name of a response component. It depends on the problems, so that operations with the same problems share
 * it.
 */
function responseName(status: number, codes: readonly ApiCode[], { takesLink }: RouteChecks) {
  const isLinked = takesLink && !statusesWithoutLimits.includes(status);
  return (isLinked ? linkedPrefix : "") + codes.map(typeName).join("Or");
}
/** The prefix for operations that take links. Their responses have other headers. */
const linkedPrefix = "Linked";
const codesByName = lazy(() => new Map(apiCodes.map((code) => [typeName(code), code])));
const codesFromName = (name: string) =>
  name.split(/Or(?=[A-Z])/).flatMap((part) => codesByName().get(part) ?? []);

/** Returns the error responses with these component names. */
export function problemResponses(names: Iterable<string>, origin: string): Schema {
  return Object.fromEntries(
    [...names].toSorted().map((name) => [name, problemResponse(name, origin)]),
  );
}

function problemResponse(name: string, origin: string): Schema {
  const takesLink = name.startsWith(linkedPrefix);
  const codes = codesFromName(takesLink ? name.slice(linkedPrefix.length) : name);
  const schemas = codes.map((code) => ref("schemas", problemName(code)));
  const [onlySchema] = schemas;
  const mapping = Object.fromEntries(
    codes.map((code) => [code, `#/components/schemas/${problemName(code)}`]),
  );
  const discriminator = { propertyName: "code", mapping };
  const examples = codes.map((code) => [code, { value: problemExample(code, origin) }] as const);
  // All problems of a response have the same status.
  const [{ status } = problems.internal] = codes.map((code) => problems[code]);
  return {
    headers: problemHeaders(status, codes, takesLink),
    description: codes.map((code) => problems[code].title).join(", or "),
    content: {
      "application/problem+json": {
        schema: codes.length === 1 ? onlySchema : { oneOf: schemas, discriminator },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export function jsonContent(schema: Schema, example?: unknown): Schema {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

/** Returns a successful response. `headerNames` are its headers in addition to the shared ones. */
export function responseObject(
  description: string,
  content: Schema | undefined,
  headerNames: readonly string[],
  takesLink = false,
): Schema {
  const headers = responseHeaders(headerNames, takesLink);
  return { description, headers, ...(content ? { content } : {}) };
}
