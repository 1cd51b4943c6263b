import type { RowOutcome } from "../../../actions/batch/import-rows";
import type { CsvLine } from "../../../domain/import/csv";
import { Problem } from "../../../domain/problem/problem";
import { Badge, type Tone } from "../../../html/parts/badge";
import { Table } from "../../../html/parts/table";
import { showCount } from "../../../html/show-count";
import { shortened } from "./columns";
import type { Import } from "./file";
import { told, type Fault, type Refused } from "./outcomes";

const firstRows = 5;
const mostRefused = 50;

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
            wide
            caption="The first rows"
            heads={[
              { name: "Line", number: true },
              "What happens",
              ...columns.map(({ name }) => name),
            ]}
          >
            {good.map(({ row, outcome }) => (
              <tr>
                <td class="number">{row.line}</td>
                <td>
                  <Outcome outcome={outcome} />
                </td>
                {columns.map(({ index }) => (
                  <td>{shortened(row.cells[index] ?? "")}</td>
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
