import { fingerprint, operationsBy, rowIds } from "#domain/import/csv.ts";
import { sha256 } from "#domain/credential/keys.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { type Operation, mostOperations } from "#domain/item/body.ts";
import { type Import, refusedRows, told, readImport, countsOf, none, type Counts } from "./file.ts";
import { keyOf, opened } from "#admin/items/load-item.ts";
import type { Context } from "hono";
import type { AdminEnv } from "#http/env.ts";
import { csvLine } from "#documents/csv.ts";
import { checkRows, writeRows, type RowOutcome } from "#actions/import-rows.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { answer, attempted } from "#admin/page.ts";
import { frameOf } from "#admin/layout.tsx";
import { readSent, numberOf, textOf, type Sent } from "#admin/form-input.ts";
import { ColumnsPage, StartPage, ProgressPage, ResultPage } from "./steps.tsx";

/** What these rows ask for. */
export async function operationsOf(
  { csv, plan }: Import,
  collection: Collection,
  from = 0,
  to = csv.rows.length,
): Promise<Operation[]> {
  const rows = csv.rows.slice(from, to);
  const ids = await rowIds(collection, await sha256(fingerprint(collection, plan, csv)), rows);
  const operationOf = operationsBy(collection, plan);
  return rows.map((row, i) => operationOf(row, ids[i] ?? ""));
}

type C = Context<AdminEnv>;

export type RefusedRows = ReturnType<typeof refusedRows>;

const byteOrderMark = "\uFEFF";

/** The refused rows as they were sent, with where and why: mended, they can be imported by themselves. */
export function downloadRefused(c: C, { csv }: Import, refused: RefusedRows): Response {
  const lines = refused.map(({ row, faults }) =>
    csvLine([...row.cells, String(row.line), faults.map(told).join(" ")], csv.delimiter),
  );
  // Divided as the file was: that says how its numbers are written.
  const header = csvLine([...csv.header, "Line", "Why"], csv.delimiter);
  return c.body(byteOrderMark + header + lines.join(""), 200, {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${keyOf(c)}-refused.csv"`,
  });
}

/** Rows that one step writes; people, or a script of the page, go on with the next. */
const perStep = 5 * mostOperations;
/** Refused rows that an answer tells; a download has all of them. */
const mostTold = 100;

export async function startImport(c: C, kind: CollectionKind): Promise<Response> {
  const { compiled } = await opened(c, kind);
  return c.html(<StartPage frame={frameOf(c)} collection={compiled.collection} />);
}

/**
 * Checks a file, writes the next of its rows, or gives those that are refused. Nothing is kept between the steps: each
 * brings the file along, and what is there already is known by what the file and the row say.
 */
export async function importItems(c: C, kind: CollectionKind): Promise<Response> {
  const sent = await readSent(c);
  const { compiled } = await opened(c, kind);
  const { collection } = compiled;
  const shown = { frame: frameOf(c), collection };
  let read: Import | undefined;
  return attempted(
    c,
    async () => {
      const file = (read = await readImport(sent, collection));
      if (file.wrong.length > 0) throw problem.invalidInput(file.wrong);
      const act = textOf(sent["act"]);
      if (act === "write") return write(c, compiled, file, sent);
      const outcomes = await check(c, compiled, file);
      const refused = refusedRows(file, outcomes, collection);
      if (act === "refused") return downloadRefused(c, file, refused);
      const counts = countsOf(outcomes);
      const document = {
        rows: file.csv.rows.length,
        columns: file.csv.header.map((name, i) => ({ name, field: file.plan.columns[i] || null })),
        by: file.plan.by || null,
        would: counts,
        refused: documentOf(refused),
      };
      return answer(c, document, () => <ColumnsPage {...shown} {...{ file, outcomes, refused }} />);
    },
    (refusal) => again(refusal, shown, read, sent),
  );
}

async function check(c: C, compiled: Compiled, file: Import): Promise<RowOutcome[]> {
  return checkRows(c.var.action, compiled, await operationsOf(file, compiled.collection));
}

const placeOf = (sent: Sent) => Math.max(0, Math.trunc(numberOf(sent["from"])) || 0);

function countsSent(sent: Sent): Counts {
  const count = (name: keyof Counts) => Math.max(0, Math.trunc(numberOf(sent[name])) || 0);
  const [created, updated] = [count("created"), count("updated")];
  return { created, updated, unchanged: count("unchanged"), refused: count("refused") };
}

async function write(c: C, compiled: Compiled, file: Import, sent: Sent): Promise<Response> {
  const { collection } = compiled;
  const from = placeOf(sent);
  const rows = await operationsOf(file, collection, from, from + perStep);
  let counts = from === 0 ? none : countsSent(sent);
  for (let at = 0; at < rows.length; at += mostOperations) {
    const run = rows.slice(at, at + mostOperations);
    counts = countsOf(await writeRows(c.var.action, compiled, run), counts);
  }
  const next = from + rows.length;
  const shown = { frame: frameOf(c), collection, file, counts };
  const document = { rows: file.csv.rows.length, written: counts };
  if (next < file.csv.rows.length) {
    return answer(c, { ...document, next }, () => <ProgressPage {...shown} from={next} />);
  }
  // What was written is there by now, so a check finds what is refused, and why.
  const outcomes = counts.refused > 0 ? await check(c, compiled, file) : [];
  const refused = refusedRows(file, outcomes, collection);
  const done = { ...document, next: null, refused: documentOf(refused) };
  return answer(c, done, () => <ResultPage {...shown} refused={refused} />);
}

const documentOf = (refused: RefusedRows) =>
  refused.slice(0, mostTold).map(({ row: { line }, faults }) => ({
    line,
    errors: faults.map(({ place: field, reason }) => ({ field, reason })),
  }));

/** Without a file that can be read it begins anew; otherwise it goes on where it was. */
function again(
  refusal: Problem,
  shown: Pick<Parameters<typeof StartPage>[0], "frame" | "collection">,
  file: Import | undefined,
  sent: Sent,
) {
  const anew = { ...shown, problem: refusal };
  if (!file) return <StartPage {...anew} sent={sent} />;
  if (textOf(sent["act"]) !== "write" || file.wrong.length > 0) {
    return <ColumnsPage {...anew} {...{ file, outcomes: [], refused: [] }} />;
  }
  return <ProgressPage {...anew} file={file} counts={countsSent(sent)} from={placeOf(sent)} />;
}
