import type { Field } from "../../../../domain/definition/field";
import { searchParams, type Query } from "../query";

/** Downloads of what is searched: for spreadsheets, and lossless ones. */
export function Downloads({
  base,
  query,
  fields,
  live,
}: {
  base: string;
  query: Query;
  fields: readonly Field[];
  live: number;
}) {
  const formats: [string, string, string][] = [
    ["spreadsheet", "For spreadsheets", "CSV with labels; Excel opens it as it is"],
    ["lines", "For spreadsheets, a line for each row", "CSV with the rows of line items"],
    ["csv", "CSV, lossless", "keys and stored values"],
    ["ndjson", "NDJSON, lossless", "one item a line, as the API has it"],
  ];
  const hasRows = fields.some(({ type }) => type === "line_items");
  const download = (format: string) => {
    const params = searchParams(query);
    params.set("format", format);
    return `${base}/export?${params.toString()}`;
  };
  return (
    <>
      <details class="drop">
        <summary class="button quiet">Download</summary>
        <ul class="card" id="downloads">
          {formats
            .filter(([format]) => format !== "lines" || hasRows)
            .map(([format, name, hint]) => (
              <li>
                <a href={download(format)} data-rows={live} download>
                  {name}
                </a>
                <small>{hint}</small>
              </li>
            ))}
        </ul>
      </details>
      <span id="download" role="status"></span>
    </>
  );
}
