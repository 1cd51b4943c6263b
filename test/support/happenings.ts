import type { Answer, Json } from "./client";

/**
 * What answers were, told to the process that runs the tests (test/happened.ts): tests of one file see no other's, and
 * what a document promises has to happen in some of them.
 */

const told = new Set<string>();

function tell(prefix: string, facts: readonly string[]): void {
  const fresh = facts.filter((fact) => !told.has(prefix + fact));
  for (const fact of fresh) told.add(prefix + fact);
  // oxlint-disable-next-line no-console
  if (fresh.length > 0) console.info(`${prefix} ${JSON.stringify(fresh)}`);
}

/** An answer to this operation, as `GET /apps/{app}`. */
export function tellHappened(operation: string, { status, headers, body }: Answer): void {
  const type = headers.get("Content-Type")?.split(";")[0];
  const names = [...headers.keys()].map((name) => `header ${name}`);
  const code = type === "application/problem+json" ? [`code ${body?.code}`] : [];
  const parts = ["", ...(type ? [`as ${type}`] : []), ...names, ...code];
  tell(
    "happened",
    parts.map((part) => `${operation} ${status} ${part}`),
  );
}

/** All that a document says may happen. Faults are left out: tests of faults meet them. */
export function tellDocumented(document: Json): void {
  tell("documented", promisesOf(document));
}

function promisesOf(document: Json): string[] {
  const resolve = (part: Json): Json =>
    part.$ref
      ? resolve(
          part.$ref
            .slice(2)
            .split("/")
            .reduce((at: Json, step: string) => at[step], document),
        )
      : part;
  const codesOf = (schema: Json): string[] => {
    const { oneOf, anyOf, properties } = resolve(schema);
    const several = oneOf ?? anyOf;
    return several ? several.flatMap(codesOf) : [`code ${properties.code.const}`];
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
