import type { CsvLine } from "#domain/import/csv.ts";
import { Table } from "#html/parts.tsx";
import { useText } from "#admin/language/index.tsx";
import { truncateCell } from "./formats.tsx";
import { formatRowError, type RejectedRow } from "./row-errors.ts";

/** The maximum number of rows in a list. */
export const maxListedRows = 50;

const maxUnbrokenLength = 24;

/** A cell of the file. Dates and other short cells do not wrap. */
export function ShortCell({ cell }: { cell: string }) {
  const text = truncateCell(cell);
  return <span class={text.length > maxUnbrokenLength ? undefined : "unbroken"}>{text}</span>;
}

/** The first cells with content, so that people recognize the row. */
function RowExcerpt({ cells }: CsvLine) {
  const first = cells.filter((cell) => cell !== "").slice(0, 2);
  return (
    <>
      {first.map((cell, index) => (
        <>
          {index > 0 ? " · " : ""}
          <ShortCell cell={cell} />
        </>
      ))}
    </>
  );
}

export function RejectedTable({ rejections }: { rejections: readonly RejectedRow[] }) {
  const texts = useText();
  const text = texts.itemImport;
  if (rejections.length === 0) return null;
  return (
    <>
      <h2 id="rejected">{text.rejectedRows}</h2>
      <Table
        caption={text.rejectedRows}
        columns={[{ name: text.line, number: true }, text.content, text.reason]}
      >
        {rejections.slice(0, maxListedRows).map(({ row, faults: errors }) => (
          <tr>
            <td class="number" data-label={text.line}>
              {row.line}
            </td>
            <td class="full">
              <RowExcerpt {...row} />
            </td>
            <td class="why full">
              {errors.map((error) => (
                <div>{formatRowError(error, row, texts)}</div>
              ))}
            </td>
          </tr>
        ))}
      </Table>
      {rejections.length > maxListedRows ? (
        <p class="muted">{text.otherRejected(rejections.length - maxListedRows)}</p>
      ) : null}
    </>
  );
}

/** The rejected rows with a button that downloads them. */
export function Rejections({ rejections }: { rejections: readonly RejectedRow[] }) {
  if (rejections.length === 0) return null;
  return (
    <>
      <RejectedTable rejections={rejections} />
      <p>
        <button type="submit" name="act" value="refused" class="quiet little">
          {useText().itemImport.downloadRejected}
        </button>
      </p>
    </>
  );
}
