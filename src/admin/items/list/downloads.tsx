import type { Child } from "hono/jsx";
import type { Field } from "#domain/definition/field.ts";
import { useText } from "#admin/language/index.tsx";
import { buildSearchParams, type Query } from "./query.ts";

/** Links that download the search results, for spreadsheets or in the lossless format. */
export function DownloadMenu({
  base,
  query,
  fields,
  matches,
  zone,
  locale,
  children,
}: {
  base: string;
  query: Query;
  fields: readonly Field[];
  /** The number of items in the download, as far as it is known. */
  matches: number;
  /** The time zone of the collection. */
  zone: string;
  /** The language of the viewer. */
  locale: string;
  /** Additional entries before the downloads. */
  children?: Child;
}) {
  const text = useText().itemList.downloads;
  const formats: [string, string, string][] = [
    ["spreadsheet", text.spreadsheet, text.spreadsheetHint(zone)],
    ["local", text.local, text.localHint(locale, zone)],
    ["lines", text.lines, text.linesHint(zone)],
    ["csv", text.csv, text.csvHint],
    ["ndjson", text.ndjson, text.ndjsonHint],
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
        <summary class="button quiet">
          <span class="only-wide">{text.menu}</span>
          <span class="only-narrow">{text.more}</span>
        </summary>
        <ul class="card" id="downloads">
          {children}
          <li class="only-narrow muted">{text.menu}</li>
          {formats
            .filter(([format]) => format !== "lines" || hasRows)
            .map(([format, name, hint]) => (
              <li>
                <a href={downloadPath(format)} data-rows={matches} download>
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
