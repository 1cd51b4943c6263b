import type { CursorPosition } from "./cursor.ts";
import type { CollectionAccess } from "./data/narrow.ts";
import type { Language } from "./language.ts";
import type { ItemView } from "./item/item.ts";

/** The CSV format for people. */
export interface Spreadsheet {
  /** `items` writes one line per item, with its rows in one cell. `lines` writes one line per row of line items. */
  layout: "items" | "lines";
  /** The language of the system columns; English if absent. */
  language?: Language;
  /** With a locale, the file uses the dates, decimals and delimiter of that locale. */
  locale?: string;
}

/** The formats of a download. */
export type ExportFormat =
  | { type: "application/x-ndjson" }
  | { type: "text/csv"; spreadsheet: Spreadsheet | null };

/** One step of a download. */
export interface DownloadStep {
  views: ItemView[];
  /** The position of the next step; null at the end. */
  nextPosition: CursorPosition | null;
  /** The definition that formats the items. */
  compiled: CollectionAccess;
}

export interface Download {
  /** The keys of the fields to export. Null for all fields. */
  keys: readonly string[] | null;
  start: CursorPosition | null;
  /** The key of the view that selects the items. */
  view?: string | undefined;
  /** The maximum number of items of the whole download. Null for all items. */
  maxItems: number | null;
  read: (start: CursorPosition | null, limit: number) => Promise<DownloadStep>;
}
