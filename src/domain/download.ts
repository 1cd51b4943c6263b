import type { CursorPosition } from "./cursor.ts";
import type { CollectionAccess } from "./data/narrow.ts";
import type { ItemView } from "./item/item.ts";

/** `items` writes one line per item, with its rows in one cell. `lines` writes one line per row of line items. */
export type SpreadsheetLayout = "items" | "lines";

/** The formats of a download. */
export type ExportFormat =
  | { type: "application/x-ndjson" }
  /** With a locale, spreadsheets have its dates, decimals and delimiter. */
  | { type: "text/csv"; spreadsheet: SpreadsheetLayout | null; locale?: string };

/** One step of a download. */
export interface DownloadStep {
  views: ItemView[];
  /** The position of the next step; null at the end. */
  nextPosition: CursorPosition | null;
  /** The definition that formats the items. */
  compiled: CollectionAccess;
}

export interface Download {
  /** The keys of the fields to export; null for all. */
  keys: readonly string[] | null;
  start: CursorPosition | null;
  /** The limit for the whole download; null for all items. */
  maxItems: number | null;
  read: (start: CursorPosition | null, limit: number) => Promise<DownloadStep>;
}
