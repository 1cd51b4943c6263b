import type { CursorPosition } from "./cursor.ts";
import type { CollectionAccess } from "./data/narrow.ts";
import type { Language } from "./language.ts";
import type { ItemView } from "./item/item.ts";

/** How CSV shows items to people. */
export interface Spreadsheet {
  /** `items` writes one line per item, with its rows in one cell. `lines` writes one line per row of line items. */
  layout: "items" | "lines";
  /** The language of the system columns; English if absent. */
  language?: Language;
  /** With a locale, the spreadsheet has its dates, decimals and delimiter. */
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
  /** The keys of the fields to export; null for all. */
  keys: readonly string[] | null;
  start: CursorPosition | null;
  /** The limit for the whole download; null for all items. */
  maxItems: number | null;
  read: (start: CursorPosition | null, limit: number) => Promise<DownloadStep>;
}
