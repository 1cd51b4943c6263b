import type { Context } from "hono";
import { checkRows, writeRows, type RowOutcome } from "../../../actions/batch/import-rows";
import type { Compiled } from "../../../domain/data/compile";
import type { CollectionKind } from "../../../domain/definition/collection";
import { mostOperations } from "../../../domain/item/batch-body";
import { problem, type Problem } from "../../../domain/problem/problem";
import type { AdminEnv } from "../../../env";
import { answer } from "../../frame/answers";
import { attempted } from "../../frame/attempted";
import { frameOf } from "../../frame/frame";
import { readSent } from "../../frame/negotiate";
import { numberOf, textOf, type Sent } from "../../frame/sent";
import { opened } from "../opened";
import { operationsOf } from "./operations";
import { readImport, type Import } from "./file";
import { countsOf, none, type Counts } from "./counts";
import { refusedRows } from "./outcomes";
import { ColumnsPage } from "./steps/columns-page";
import { StartPage } from "./steps/start-page";
import { ProgressPage } from "./steps/progress-page";
import { ResultPage } from "./steps/result-page";
import { downloadRefused, type RefusedRows } from "./download-refused";

type C = Context<AdminEnv>;

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
