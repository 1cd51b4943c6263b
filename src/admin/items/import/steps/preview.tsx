import type { RowOutcome } from "../../../../actions/batch/import-rows";
import { Problem } from "../../../../domain/problem/problem";
import { Badge, type Tone } from "../../../../html/parts/badge";
import { Table } from "../../../../html/parts/table";
import { shortened } from "./columns";
import type { Import } from "../file";
import type { Refused } from "../outcomes";
import { RefusedTable } from "./refused-table";

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
