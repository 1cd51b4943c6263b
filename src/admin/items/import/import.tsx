import { importFingerprint, createOperationBuilder } from "#domain/import/csv.ts";
import { rowIds } from "#domain/import/row-ids.ts";
import { sha256 } from "#domain/credential/keys.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { findDuplicateRows } from "#domain/import/duplicates.ts";
import { maxOperations } from "#domain/item/body.ts";
import {
  type ImportFile,
  parseImport,
  countOutcomes,
  zeroCounts,
  changedRows,
  type ChangedRow,
  type OutcomeCounts,
} from "./file.ts";
import { keyParam, getStoredCollection } from "#admin/items/load-item.ts";
import type { Context } from "hono";
import type { AdminEnv } from "#http/env.ts";
import { csvLine, defuse } from "#documents/csv.ts";
import {
  checkRows,
  writeAllowance,
  writeRows,
  type CheckedRow,
  type ImportRow,
} from "#actions/import-rows.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { isTooComplex } from "#domain/problem/field-errors.ts";
import { problem, Problem } from "#domain/problem/problem.ts";
import { readTexts, viewerOf } from "#admin/preferences.ts";
import { submitForm, page, type Outcome } from "#admin/page.ts";
import { pageContext } from "#admin/layout.tsx";
import { readForm, numberOf, textOf, type FormValues } from "#admin/form-input.ts";
import { formatRowError, rejectedRows } from "./row-errors.ts";
import { StartPage } from "./start-page.tsx";
import { ColumnsPage, ProgressPage, ResultPage } from "./steps.tsx";

/** Converts the rows of the file to operations. A row that repeats an earlier one is a problem. */
async function buildRows({ csv, plan }: ImportFile, compiled: CompiledCollection) {
  const { collection } = compiled;
  const fingerprint = await sha256(importFingerprint(collection, plan, csv));
  const ids = rowIds(collection, fingerprint, csv.rows);
  const operationOf = createOperationBuilder(collection, plan);
  const rows = csv.rows.map((row, i) => ({
    line: row.line,
    operation: operationOf(row, ids[i] ?? ""),
  }));
  const duplicates = findDuplicateRows(compiled, rows);
  return rows.map(({ line, operation }): ImportRow => duplicates.get(line) ?? operation);
}

type AdminContext = Context<AdminEnv>;

type RejectedRows = ReturnType<typeof rejectedRows>;

const byteOrderMark = "\uFEFF";

/**
 * Downloads the rejected rows with line numbers and reasons, so that people can correct and import them. A lossless
 * export stays lossless. Any other file becomes a file for spreadsheets.
 */
function sendRejectedRows(
  c: AdminContext,
  { csv, plan }: ImportFile,
  rejections: RejectedRows,
): Response {
  const texts = readTexts(c);
  const text = texts.itemImport;
  const guard = plan.isLossless ? (cell: string) => cell : defuse;
  const lines = rejections.map(({ row, faults: errors }) => {
    const reasons = errors.map((error) => formatRowError(error, row, texts)).join(" ");
    return csvLine([...row.cells.map(guard), String(row.line), defuse(reasons)], csv.delimiter);
  });
  // Keeps the delimiter of the file, because it decides how numbers are parsed.
  const header = csvLine([...csv.header, text.line, text.rejectionReason], csv.delimiter);
  return c.body(byteOrderMark + header + lines.join(""), 200, {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${keyParam(c)}-rejected.csv"`,
  });
}

/** Downloads every value that the import would change, one per line. */
function sendChanges(c: AdminContext, { csv }: ImportFile, changes: readonly ChangedRow[]) {
  const text = readTexts(c).itemImport;
  const lines = changes.flatMap(({ line, id, receiptNumber, fields }) =>
    fields.map(({ label, from, to }) =>
      csvLine(
        [String(line), receiptNumber ?? id, label, cellText(from), cellText(to)].map(defuse),
        csv.delimiter,
      ),
    ),
  );
  const header = csvLine(
    [text.line, text.item, text.field, text.before, text.after],
    csv.delimiter,
  );
  return c.body(byteOrderMark + header + lines.join(""), 200, {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${keyParam(c)}-changes.csv"`,
  });
}

const cellText = (value: unknown) =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : textOf(value);

const changeDocument = ({ line, id, fields }: ChangedRow) => ({
  line,
  id,
  fields: fields.map(({ key, from, to }) => ({ field: key, from, to })),
});

/** The maximum number of rows that one step writes. The page's script or a button starts the next step. */
const rowsPerStep = 5 * maxOperations;
/** The maximum number of rejected rows in a JSON response. The download contains all of them. */
const maxReportedRows = 100;

export const startPage = (kind: CollectionKind) =>
  page({
    load: async ({ c }) => (await getStoredCollection(c, kind)).compiled,
    render: (frame, { collection }) => <StartPage {...{ frame, collection }} />,
  });

/**
 * Checks a file, writes its next rows or downloads the rejected rows. The server stores nothing between steps, because
 * each request contains the file. Item IDs derive from the file and the row, so a repeated step creates no duplicates.
 */
export async function importItems(c: AdminContext, kind: CollectionKind): Promise<Response> {
  const form = await readForm(c);
  const { compiled } = await getStoredCollection(c, kind);
  const { collection } = compiled;
  let parsedFile: ImportFile | undefined;
  const texts = readTexts(c);
  return submitForm(
    c,
    async () => {
      const file = (parsedFile = await parseImport(
        form,
        collection,
        texts.itemImport.reasons,
        viewerOf(c).locale,
      ));
      if (file.columnErrors.length > 0) throw problem.invalidInput(file.columnErrors);
      const action = textOf(form["act"]);
      if (action === "write") return writeStep(c, compiled, file, form);
      const checkedRows = await checkFile(c, compiled, file);
      const rejections = rejectedRows(file, checkedRows, collection, texts);
      if (action === "refused") return sendRejectedRows(c, file, rejections);
      const changes = changedRows(file, checkedRows);
      if (action === "changes") return sendChanges(c, file, changes);
      const counts = countOutcomes(checkedRows.map(({ outcome }) => outcome));
      const document = {
        rows: file.csv.rows.length,
        columns: file.csv.header.map((name, i) => ({ name, field: file.plan.columns[i] || null })),
        by: file.plan.by || null,
        would: counts,
        changes: changes.slice(0, maxReportedRows).map(changeDocument),
        refused: rejectedDocument(rejections),
      };
      const props = { collection, file, checkedRows, rejections, changes };
      return { page: (frame) => <ColumnsPage frame={frame} {...props} />, document };
    },
    (error) => rerenderStep(error, { frame: pageContext(c), collection }, parsedFile, form),
  );
}

async function checkFile(
  c: AdminContext,
  compiled: CompiledCollection,
  file: ImportFile,
): Promise<CheckedRow[]> {
  return checkRows(c.var.action, compiled, await buildRows(file, compiled));
}

const readOffset = (form: FormValues) => Math.max(0, Math.trunc(numberOf(form["from"])) || 0);

function readCounts(form: FormValues): OutcomeCounts {
  const count = (name: keyof OutcomeCounts) => Math.max(0, Math.trunc(numberOf(form[name])) || 0);
  const [created, updated] = [count("created"), count("updated")];
  return { created, updated, unchanged: count("unchanged"), refused: count("refused") };
}

async function writeStep(
  c: AdminContext,
  compiled: CompiledCollection,
  file: ImportFile,
  form: FormValues,
): Promise<Outcome> {
  const { collection } = compiled;
  const from = readOffset(form);
  const rows = (await buildRows(file, compiled)).slice(from, from + rowsPerStep);
  let counts = from === 0 ? zeroCounts : readCounts(form);
  const allowance = writeAllowance();
  let next = from;
  while (next < from + rows.length && allowance.batches > 0) {
    const batch = rows.slice(next - from, next - from + maxOperations);
    const outcomes = await writeRows(c.var.action, compiled, batch, allowance);
    counts = countOutcomes(outcomes, counts);
    next += outcomes.length;
  }
  const props = { collection, file, counts };
  const document = { rows: file.csv.rows.length, written: counts };
  if (next < file.csv.rows.length) {
    return {
      page: (frame) => <ProgressPage frame={frame} {...props} from={next} />,
      document: { ...document, next },
    };
  }
  const checkedRows = counts.refused > 0 ? await checkAgain(c, compiled, file) : [];
  const rejections = checkedRows && rejectedRows(file, checkedRows, collection, readTexts(c));
  return {
    page: (frame) => <ResultPage frame={frame} {...props} rejections={rejections} />,
    document: { ...document, next: null, refused: rejections && rejectedDocument(rejections) },
  };
}

/**
 * Checks the file again after the last step, to find the rejected rows with their reasons. The accepted rows are stored, so
 * this returns null if the check takes too long.
 */
async function checkAgain(
  c: AdminContext,
  compiled: CompiledCollection,
  file: ImportFile,
): Promise<CheckedRow[] | null> {
  try {
    return await checkFile(c, compiled, file);
  } catch (error) {
    if (error instanceof Problem && isTooComplex(error)) return null;
    throw error;
  }
}

const rejectedDocument = (rejections: RejectedRows) =>
  rejections.slice(0, maxReportedRows).map(({ row: { line }, faults: errors }) => ({
    line,
    errors: errors.map(({ place: field, reason }) => ({ field, reason })),
  }));

/** Renders the step again after a problem. Without a valid file, renders the start page. */
function rerenderStep(
  error: Problem,
  props: Pick<Parameters<typeof StartPage>[0], "frame" | "collection">,
  file: ImportFile | undefined,
  form: FormValues,
) {
  const pageProps = { ...props, problem: error };
  if (!file) return <StartPage {...pageProps} form={form} />;
  if (textOf(form["act"]) !== "write" || file.columnErrors.length > 0) {
    return (
      <ColumnsPage {...pageProps} {...{ file, checkedRows: [], rejections: [], changes: [] }} />
    );
  }
  return (
    <ProgressPage {...pageProps} file={file} counts={readCounts(form)} from={readOffset(form)} />
  );
}
