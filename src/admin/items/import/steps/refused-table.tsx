import type { CsvLine } from "../../../../domain/import/csv";
import { Table } from "../../../../html/parts/table";
import { showCount } from "../../../../html/show-count";
import { shortened } from "./columns";
import { told, type Fault, type Refused } from "../outcomes";

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
