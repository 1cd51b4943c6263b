import type { Collection } from "../collection.ts";
import { BatchError, EdgeFormsError } from "../index.ts";
import type { Operation, Untyped, Written } from "../types.ts";
import { sendable } from "./compare.ts";
import { Failure } from "./failure.ts";
import type { Journal } from "./journal.ts";
import type { Chunk, Line } from "./lines.ts";
import type { Field, Item, Named } from "./service.ts";

/** Where a file goes. */
export interface Target {
  url: string;
  named: Named;
  fields: readonly Field[];
  items: Collection<Item, Untyped>;
  file: string;
  by: string | undefined;
}

/** Writes the lines of a chunk, and notes what is stored: all of it, or nothing where a line is refused. */
export async function send(target: Target, chunk: Chunk, journal: Journal): Promise<void> {
  const { items, by, fields } = target;
  const key = `${journal.run}-${chunk.first}`;
  const operations = chunk.lines.map((line) => operationOf(line, fields, by));
  let results: readonly Written<Item>[];
  try {
    results = await items.batch(operations, { key });
  } catch (error) {
    throw error instanceof EdgeFormsError ? refusalOf(error, target, chunk) : error;
  }
  const closed = results.filter((_, at) => chunk.lines[at]?.status === "closed");
  // An item is closed once it is there; the key makes that happen once as well.
  const closing = closed.map(({ id }) => ({ op: "update", id, status: "closed" }) as const);
  await items.batch(closing, { key: `${key}-closed` });
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

/** Names the lines that are wrong. */
function refusalOf(
  error: EdgeFormsError,
  { file }: Target,
  { first }: Chunk,
): EdgeFormsError | Failure {
  if (error.errors.length === 0) return error;
  const lines = error.errors.slice(0, 20).map(({ field, pointer = "", code, reason }) => {
    const [, at = "0", rest = field] = /^\/operations\/(\d+)\/?(.*)$/.exec(pointer) ?? [];
    return `  ${file}:${first + Number(at)} ${rest.replaceAll("/", ".")}: ${code}: ${reason}`;
  });
  const more = error.errors.length > 20 ? [`  and ${error.errors.length - 20} more`] : [];
  const stored = error instanceof BatchError ? error.results.length : 0;
  const before = `Lines before ${first + stored} are stored; mend the file and go on.`;
  const request = error.requestId ? [`  request ${error.requestId}`] : [];
  return new Failure([`${error.code}: ${before}`, ...lines, ...more, ...request].join("\n"));
}
