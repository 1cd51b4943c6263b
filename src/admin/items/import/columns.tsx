import type { Collection } from "#domain/definition/collection.ts";
import { importable, ownTargets, type CsvLine } from "#domain/import/csv.ts";
import { Options, WrongWith, useField, Select } from "#html/inputs.tsx";
import { Table, Badge, type Tone } from "#html/parts.tsx";
import { type Import, findersOf, told, type Fault, type Refused } from "./file.ts";
import { words } from "#admin/definitions/layout.tsx";
import { showCount } from "#html/viewer.tsx";
import type { RowOutcome } from "#actions/import-rows.ts";
import { Problem } from "#domain/problem/problem.ts";

const longest = 60;
export const shortened = (text: string) =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** What each column becomes, beside what its first row says. */
export function ColumnChoices({ file, collection }: { file: Import; collection: Collection }) {
  const { csv, plan } = file;
  const options = [
    { value: "", label: "— left out —" },
    ...importable(collection).map(({ key, label }) => ({ value: key, label })),
    ...(collection.kind === "form"
      ? [{ value: ownTargets.status as string, label: "Status" }]
      : []),
    { value: ownTargets.id as string, label: "Id" },
  ];
  return (
    <Table caption="Columns" heads={["Column", "First row", "Becomes"]}>
      {csv.header.map((name, i) => (
        <tr>
          <th scope="row">{name === "" ? `Column ${i + 1}` : name}</th>
          <td class="full">{shortened(csv.rows[0]?.cells[i] ?? "")}</td>
          <td>
            <Choice
              name={`column.${i}`}
              of={name}
              options={options}
              value={plan.columns[i] ?? ""}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Choice({
  name,
  of,
  options,
  value,
}: {
  name: string;
  of: string;
  options: readonly { value: string; label: string }[];
  value: string;
}) {
  const { wired, wrong } = useField({ name });
  return (
    <>
      <select {...wired} aria-label={`${of} becomes`}>
        <Options options={options} value={value} />
      </select>
      <WrongWith id={wired.id} wrong={wrong} />
    </>
  );
}

/** What happens to items that are there already. */
export function Finder({ file, collection }: { file: Import; collection: Collection }) {
  const { items } = words[collection.kind];
  const labelOf = (target: string) =>
    collection.definition.fields.fields.find(({ key }) => key === target)?.label ?? "Id";
  return (
    <Select
      name="by"
      label={`Which ${items} are there already?`}
      value={file.plan.by}
      options={[
        { value: "", label: `None: each row is a new one` },
        ...findersOf(file.plan.columns, collection).map((value) => ({
          value,
          label: `Those with the same ${labelOf(value)}: they are changed`,
        })),
      ]}
    />
  );
}

const mostRefused = 50;

/** The cells that are wrong; where the row is wrong as a whole, how it begins. */
function saidIn({ cells }: CsvLine, faults: readonly Fault[]): string {
  const wrong = faults.map(({ column }) => cells[column] ?? "").filter((cell) => cell !== "");
  return (wrong.length > 0 ? wrong : cells.filter((cell) => cell !== "").slice(0, 2))
    .map(shortened)
    .join(" · ");
}

export function RefusedTable({ refused }: { refused: readonly Refused[] }) {
  if (refused.length === 0) return null;
  return (
    <>
      <h2>Refused</h2>
      <Table caption="Refused rows" heads={[{ name: "Line", number: true }, "What it says", "Why"]}>
        {refused.slice(0, mostRefused).map(({ row, faults }) => (
          <tr>
            <td class="number" data-label="Line">
              {row.line}
            </td>
            <td class="full">{saidIn(row, faults)}</td>
            <td class="why full">{faults.map(told).join(" ")}</td>
          </tr>
        ))}
      </Table>
      {refused.length > mostRefused ? (
        <p class="muted">
          {showCount(refused.length - mostRefused)} more stand in the download of refused rows.
        </p>
      ) : null}
    </>
  );
}

const firstRows = 5;
/** Columns that a phone has room for. */
const mostOnPhone = 3;

const outcomeNames: Record<Exclude<RowOutcome, Problem>, readonly [name: string, tone: Tone]> = {
  created: ["New", "good"],
  updated: ["Changes", "accent"],
  unchanged: ["As it is", "quiet"],
  deleted: ["Deleted", "bad"],
};

/** The refused rows with what is wrong in which column, and the first of the others. */
export function Preview({
  file: { csv, plan },
  outcomes,
  refused,
}: {
  file: Import;
  outcomes: readonly RowOutcome[];
  refused: readonly Refused[];
}) {
  const columns = csv.header
    .map((name, index) => ({ name, index }))
    .filter(({ index }) => plan.columns[index] !== "");
  const good = csv.rows
    .map((row, i) => ({ row, outcome: outcomes[i] }))
    .filter(({ outcome }) => !(outcome instanceof Problem))
    .slice(0, firstRows);
  return (
    <>
      <RefusedTable refused={refused} />
      {good.length === 0 ? null : (
        <>
          <h2>The first rows</h2>
          <Table
            caption="The first rows"
            heads={[
              { name: "Line", number: true },
              "What happens",
              ...columns.map(({ name }) => shortened(name)),
            ]}
          >
            {good.map(({ row, outcome }) => (
              <tr>
                <td class="number">{row.line}</td>
                <td>
                  <Outcome outcome={outcome} />
                </td>
                {columns.map(({ name, index }, at) => (
                  <td class={at < mostOnPhone ? undefined : "less"} data-label={shortened(name)}>
                    {shortened(row.cells[index] ?? "")}
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

function Outcome({ outcome }: { outcome: RowOutcome | undefined }) {
  if (outcome === undefined || outcome instanceof Problem) return null;
  const [name, tone] = outcomeNames[outcome];
  return <Badge tone={tone}>{name}</Badge>;
}
