import type { Field } from "#domain/definition/field.ts";
import { buildSearchParams, type Query } from "./query.ts";

/** Links that download the search results, for spreadsheets or without loss. */
export function DownloadMenu({
  base,
  query,
  fields,
  live,
  zone,
  locale,
}: {
  base: string;
  query: Query;
  fields: readonly Field[];
  live: number;
  /** The time zone of the collection. */
  zone: string;
  /** The language of the viewer. */
  locale: string;
}) {
  const formats: [string, string, string][] = [
    ["spreadsheet", "For spreadsheets", `CSV with labels, times in ${zone}`],
    [
      "local",
      "For spreadsheets, your format",
      `Dates and decimals as in ${locale}, times in ${zone}`,
    ],
    ["lines", "For spreadsheets, one line per row", `CSV of the line items, times in ${zone}`],
    ["csv", "CSV, lossless", "Keys and stored values, times in UTC"],
    ["ndjson", "NDJSON, lossless", "One item per line, as in the API"],
  ];
  const hasRows = fields.some(({ type }) => type === "line_items");
  const downloadPath = (format: string) => {
    const params = buildSearchParams(query);
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
                <a href={downloadPath(format)} data-rows={live} download>
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
