import type { Answer, Json } from "./client";

/**
 * Reports responses to the process that runs the tests (test/documented-events.ts), because test files run in
 * isolation. Tests have to produce every response that a document describes.
 */

const reported = new Set<string>();

function report(prefix: string, facts: readonly string[]): void {
  const newFacts = facts.filter((fact) => !reported.has(prefix + fact));
  for (const fact of newFacts) reported.add(prefix + fact);
  // oxlint-disable-next-line no-console
  if (newFacts.length > 0) console.info(`${prefix} ${JSON.stringify(newFacts)}`);
}

/** Reports a response to an operation, such as `GET /apps/{app}`. */
export function tellHappened(operation: string, { status, headers, body }: Answer): void {
  const type = headers.get("Content-Type")?.split(";")[0];
  const isContent = status < 300 && type !== undefined && !type.endsWith("json");
  const names = [...headers.keys()].map((name) => `header ${name}`);
  const code = type === "application/problem+json" ? [`code ${body?.code}`] : [];
  const parts = [
    "",
    ...(type ? [`as ${type}`] : []),
    ...(isContent ? ["as */*"] : []),
    ...names,
    ...code,
  ];
  report(
    "happened",
    parts.map((part) => `${operation} ${status} ${part}`),
  );
}

/** Reports every response in a document except 500 and 503. The fault tests cover those. */
export function tellDocumented(document: Json): void {
  report("documented", documentedFacts(document));
}

function documentedFacts(document: Json): string[] {
  const resolve = (part: Json): Json =>
    part.$ref
      ? resolve(
          part.$ref
            .slice(2)
            .split("/")
            .reduce((value: Json, step: string) => value[step], document),
        )
      : part;
  const codesOf = (schema: Json): string[] => {
    const { oneOf, anyOf, properties } = resolve(schema);
    const alternatives = oneOf ?? anyOf;
    return alternatives ? alternatives.flatMap(codesOf) : [`code ${properties.code.const}`];
  };
  return Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations)
      .filter(([, { responses }]) => responses)
      .flatMap(([method, { responses }]) =>
        Object.entries<Json>(responses)
          .filter(([status]) => status !== "500" && status !== "503")
          .flatMap(([status, response]) => {
            const { headers = {}, content = {} } = resolve(response);
            const parts = [
              "",
              ...Object.keys(headers).map((name) => `header ${name.toLowerCase()}`),
              ...Object.entries<Json>(content).flatMap(([type, { schema }]) => [
                `as ${type}`,
                ...(type === "application/problem+json" ? codesOf(schema) : []),
              ]),
            ];
            return parts.map((part) => `${method.toUpperCase()} ${path} ${status} ${part}`);
          }),
      ),
  );
}
