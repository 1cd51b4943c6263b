import type { Collection } from "../collection.ts";
import { BatchError, EdgeFormsError } from "../index.ts";
import type { Operation, Untyped, Written } from "../types.ts";
import { sendable } from "./compare.ts";
import { Failure } from "./failure.ts";
import type { Journal } from "./journal.ts";
import type { Chunk, Line } from "./lines.ts";
import type { Field, Item, Named } from "./service.ts";

/** The app or form that a file is imported into. */
export interface Target {
  url: string;
  named: Named;
  fields: readonly Field[];
  items: Collection<Item, Untyped>;
  file: string;
  by: string | undefined;
}

/** Writes the lines of a chunk and adds them to the journal. If the service rejects a line, it stores none of them. */
export async function send(target: Target, chunk: Chunk, journal: Journal): Promise<void> {
  const { items, by, fields } = target;
  const key = `${journal.run}-${chunk.first}`;
  const operations = chunk.lines.map((line) => operationOf(line, fields, by));
  let results: readonly Written<Item>[];
  try {
    results = await items.batch(operations, { key });
  } catch (error) {
    throw error instanceof EdgeFormsError ? problemWithLines(error, target, chunk) : error;
  }
  const closedResults = results.filter((_, index) => chunk.lines[index]?.status === "closed");
  // Only an existing item can be closed. The key makes a retry harmless.
  const closeOperations = closedResults.map(
    ({ id }) => ({ op: "update", id, status: "closed" }) as const,
  );
  await items.batch(closeOperations, { key: `${key}-closed` });
  await journal.add({ ...chunk, ids: results.map(({ id }) => id) });
}

function operationOf(
  { data, status }: Line,
  fields: readonly Field[],
  by: string | undefined,
): Operation {
  const content = {
    data: sendable(data, fields),
    ...(status && { status: status === "closed" ? "submitted" : status }),
  } as const;
  return by === undefined ? { op: "create", ...content } : { op: "upsert", by, ...content };
}

/** Builds an error that names the invalid lines. */
function problemWithLines(
  error: EdgeFormsError,
  { file }: Target,
  { first }: Chunk,
): EdgeFormsError | Failure {
  if (error.errors.length === 0) return error;
  const lines = error.errors.slice(0, 20).map(({ field, pointer = "", code, reason }) => {
    const [, index = "0", path = field] = /^\/operations\/(\d+)\/?(.*)$/.exec(pointer) ?? [];
    return `  ${file}:${first + Number(index)} ${path.replaceAll("/", ".")}: ${code}: ${reason}`;
  });
  const remaining = error.errors.length > 20 ? [`  and ${error.errors.length - 20} more`] : [];
  const storedCount = error instanceof BatchError ? error.results.length : 0;
  const summary = `Lines before ${first + storedCount} are stored. Fix the file and run the command again.`;
  const request = error.requestId ? [`  request ${error.requestId}`] : [];
  return new Failure([`${error.code}: ${summary}`, ...lines, ...remaining, ...request].join("\n"));
}
