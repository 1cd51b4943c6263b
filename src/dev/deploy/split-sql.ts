import { once } from "node:events";
import { createReadStream, createWriteStream, rmSync, statSync, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** D1 imports files of up to 5 GiB, and a database can contain 10 GB. */
const maxImportBytes = 4 * 2 ** 30;

/**
 * Yields the paths of files that together contain the statements of this file in order. Each file has at most this many
 * bytes, plus the statement that exceeds them. A part exists until the caller requests the next one. `endPart` returns
 * a statement that ends the part with this number. Without it, a small file is its own only part.
 */
export async function* splitSql(
  path: string,
  maxBytes = maxImportBytes,
  endPart?: (number: number) => string,
): AsyncGenerator<string> {
  if (!endPart && statSync(path).size <= maxBytes) return yield path;
  const end = (stream: WriteStream, partNumber: number) =>
    close(stream, endPart ? `\n${endPart(partNumber)}\n` : "");
  let part: WriteStream | undefined;
  let number = 0;
  let size = 0;
  for await (const { text, endsStatement } of scan(createReadStream(path, "utf8"))) {
    if (!part) {
      number += 1;
      part = createWriteStream(`${path}.${number}`);
      size = 0;
    }
    if (!part.write(text)) await once(part, "drain");
    size += Buffer.byteLength(text);
    if (!endsStatement || size < maxBytes) continue;
    yield* end(part, number);
    part = undefined;
  }
  if (part) yield* end(part, number);
}

async function* close(part: WriteStream, text: string): AsyncGenerator<string> {
  part.end(text);
  await finished(part);
  const path = String(part.path);
  try {
    yield path;
  } finally {
    rmSync(path, { force: true });
  }
}

/** The tokens that end each state of the text. */
const ends = { statement: /['";]|--/g, "'": /'/g, '"': /"/g, "--": /\n/g } as const;

/** Splits a text after each statement. A statement may arrive in several pieces. */
async function* scan(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ text: string; endsStatement: boolean }> {
  let state: keyof typeof ends = "statement";
  let rest = "";
  for await (const chunk of chunks) {
    // A comment may start at the end of a chunk.
    const text = rest + chunk;
    rest = text.endsWith("-") ? "-" : "";
    const end = text.length - rest.length;
    let from = 0;
    let at = 0;
    for (;;) {
      const pattern: RegExp = ends[state];
      pattern.lastIndex = at;
      const [token] = pattern.exec(text) ?? [];
      if (token === undefined || pattern.lastIndex > end) break;
      at = pattern.lastIndex;
      if (state !== "statement") state = "statement";
      else if (token !== ";") state = token as "'" | '"' | "--";
      else {
        yield { text: text.slice(from, at), endsStatement: true };
        from = at;
      }
    }
    if (from < end) yield { text: text.slice(from, end), endsStatement: false };
  }
  if (rest) yield { text: rest, endsStatement: false };
}

/** The maximum length of statements that are matched against the pattern. */
const maxFoundLength = 10_000;

/** Yields the statements of a file that match a pattern. */
export async function* findStatements(path: string, pattern: RegExp): AsyncGenerator<string> {
  let statement = "";
  for await (const { text, endsStatement } of scan(createReadStream(path, "utf8"))) {
    if (statement.length < maxFoundLength) statement += text;
    if (!endsStatement) continue;
    if (statement.length < maxFoundLength && pattern.test(statement)) yield statement;
    statement = "";
  }
}
