import type { Collection } from "#domain/definition/collection.ts";
import { importableFields, itemTargets, targetKey, type CsvLine } from "#domain/import/csv.ts";
import { SelectOptions, InputErrors, useField, Select } from "#html/inputs.tsx";
import { Table, Badge, type Tone } from "#html/parts.tsx";
import {
  type ImportFile,
  matchTargets,
  formatRowError,
  type RowError,
  type RejectedRow,
} from "./file.ts";
import { collectionTerms } from "#admin/definitions/layout.tsx";
import { formatCount } from "#html/viewer.tsx";
import type { RowOutcome } from "#actions/import-rows.ts";
import { Problem } from "#domain/problem/problem.ts";

const maxPreviewLength = 60;
const truncateCell = (text: string) =>
  text.length > maxPreviewLength ? `${text.slice(0, maxPreviewLength)}…` : text;

/** Assigns each column to a field. Shows the column's first value for orientation. */
export function ColumnChoices({ file, collection }: { file: ImportFile; collection: Collection }) {
  const { csv, plan } = file;
  const options = [
    { value: "", label: "— left out —" },
    ...importableFields(collection).map(({ key, label }) => ({ value: key, label })),
    ...(collection.kind === "form"
      ? [{ value: itemTargets.status as string, label: "Status" }]
      : []),
    { value: itemTargets.id as string, label: "Id" },
  ];
  return (
    <Table caption="Columns" columns={["Column", "First row", "Becomes"]}>
      {csv.header.map((name, i) => (
        <tr>
          <th scope="row">{name === "" ? `Column ${i + 1}` : name}</th>
          <td class="full">{truncateCell(csv.rows[0]?.cells[i] ?? "")}</td>
          <td>
            <ColumnChoice
              name={`column.${i}`}
              columnName={name}
              options={withReference(options, plan.columns[i] ?? "")}
              value={plan.columns[i] ?? ""}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** A column can name records by a unique field of their app, as in `customer.email`. */
function withReference(options: { value: string; label: string }[], target: string) {
  if (!target.includes(".")) return options;
  const label = options.find(({ value }) => value === targetKey(target))?.label ?? "";
  const { length } = targetKey(target);
  return [
    ...options,
    { value: target, label: `${label}${target.slice(length).replace(".", ": ")}` },
  ];
}

function ColumnChoice({
  name,
  columnName,
  options,
  value,
}: {
  name: string;
  columnName: string;
  options: readonly { value: string; label: string }[];
  value: string;
}) {
  const { inputProps, wrong: errors } = useField({ name });
  return (
    <>
      <select {...inputProps} aria-label={`${columnName} becomes`}>
        <SelectOptions options={options} value={value} />
      </select>
      <InputErrors id={inputProps.id} wrong={errors} />
    </>
  );
}

/** Chooses the field by which rows match existing items. */
export function MatchChoice({ file, collection }: { file: ImportFile; collection: Collection }) {
  const { items } = collectionTerms[collection.kind];
  const labelOf = (target: string) =>
    collection.definition.fields.fields.find(({ key }) => key === target)?.label ?? "Id";
  return (
    <Select
      name="by"
      label={`Which ${items} are there already?`}
      value={file.plan.by}
      options={[
        { value: "", label: `None: each row is a new one` },
        ...matchTargets(file.plan.columns, collection).map((value) => ({
          value,
          label: `Those with the same ${labelOf(value)}: they are changed`,
        })),
      ]}
    />
  );
}

const maxListedRows = 50;

/** The cells that have errors. Without any, the first two cells with content. */
function rowExcerpt({ cells }: CsvLine, errors: readonly RowError[]): string {
  const errorCells = errors.map(({ column }) => cells[column] ?? "").filter((cell) => cell !== "");
  return (errorCells.length > 0 ? errorCells : cells.filter((cell) => cell !== "").slice(0, 2))
    .map(truncateCell)
    .join(" · ");
}

export function RejectedTable({ rejections }: { rejections: readonly RejectedRow[] }) {
  if (rejections.length === 0) return null;
  return (
    <>
      <h2>Refused</h2>
      <Table
        caption="Refused rows"
        columns={[{ name: "Line", number: true }, "What it says", "Why"]}
      >
        {rejections.slice(0, maxListedRows).map(({ row, faults: errors }) => (
          <tr>
            <td class="number" data-label="Line">
              {row.line}
            </td>
            <td class="full">{rowExcerpt(row, errors)}</td>
            <td class="why full">{errors.map(formatRowError).join(" ")}</td>
          </tr>
        ))}
      </Table>
      {rejections.length > maxListedRows ? (
        <p class="muted">
          {formatCount(rejections.length - maxListedRows)} more stand in the download of refused
          rows.
        </p>
      ) : null}
    </>
  );
}

const previewRowCount = 5;
/** Phones show this many columns. */
const maxPhoneColumns = 3;

const outcomeBadges: Record<Exclude<RowOutcome, Problem>, readonly [name: string, tone: Tone]> = {
  created: ["New", "good"],
  updated: ["Changes", "accent"],
  unchanged: ["As it is", "quiet"],
  deleted: ["Deleted", "bad"],
};

/** Shows the rejected rows with their errors, and the first accepted rows. */
export function ImportPreview({
  file: { csv, plan },
  outcomes,
  rejections,
}: {
  file: ImportFile;
  outcomes: readonly RowOutcome[];
  rejections: readonly RejectedRow[];
}) {
  const columns = csv.header
    .map((name, index) => ({ name, index }))
    .filter(({ index }) => plan.columns[index] !== "");
  const acceptedRows = csv.rows
    .map((row, i) => ({ row, outcome: outcomes[i] }))
    .filter(({ outcome }) => !(outcome instanceof Problem))
    .slice(0, previewRowCount);
  return (
    <>
      <RejectedTable rejections={rejections} />
      {acceptedRows.length === 0 ? null : (
        <>
          <h2>The first rows</h2>
          <Table
            caption="The first rows"
            columns={[
              { name: "Line", number: true },
              "What happens",
              ...columns.map(({ name }) => truncateCell(name)),
            ]}
          >
            {acceptedRows.map(({ row, outcome }) => (
              <tr>
                <td class="number">{row.line}</td>
                <td>
                  <OutcomeBadge outcome={outcome} />
                </td>
                {columns.map(({ name, index }, position) => (
                  <td
                    class={position < maxPhoneColumns ? undefined : "less"}
                    data-label={truncateCell(name)}
                  >
                    {truncateCell(row.cells[index] ?? "")}
                  </td>
                ))}
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  );
}

function OutcomeBadge({ outcome }: { outcome: RowOutcome | undefined }) {
  if (outcome === undefined || outcome instanceof Problem) return null;
  const [name, tone] = outcomeBadges[outcome];
  return <Badge tone={tone}>{name}</Badge>;
}
