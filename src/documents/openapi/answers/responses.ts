import { apiCodes, problems, type ApiCode } from "../../../domain/problem/problem-catalogue";
import { headersOf, problemHeaders } from "./headers";
import { problemExample, problemName } from "../schemas/problem-schemas";
import { ref, typeName, type Schema } from "../schemas/schema";

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
