import type { Status } from "#domain/item/item.ts";
import { type Language, languages } from "#domain/language.ts";

/**
 * The words of spreadsheets: headers of system columns, statuses, and texts for actors whose names a reader may not
 * see.
 */
interface SpreadsheetWords {
  columns: Record<SystemColumn, string>;
  statuses: Record<Status, string>;
  /** The headers for line items on separate lines. */
  rows: { list: string; row: string };
  actors: { member: string; credential: string; system: string };
}

type SystemColumn =
  | "id"
  | "receipt_number"
  | "status"
  | "version"
  | "created_at"
  | "created_by"
  | "updated_at"
  | "updated_by";

/** An import recognizes the words of every language. The English ones are part of the API. */
export const spreadsheetWords: Record<Language, SpreadsheetWords> = {
  en: {
    columns: {
      id: "Id",
      receipt_number: "Receipt number",
      status: "Status",
      version: "Version",
      created_at: "Created at",
      created_by: "Created by",
      updated_at: "Updated at",
      updated_by: "Updated by",
    },
    statuses: { draft: "draft", submitted: "submitted", closed: "closed" },
    rows: { list: "List", row: "Row" },
    actors: { member: "a member", credential: "an integration", system: "recalculation" },
  },
  ja: {
    columns: {
      id: "ID",
      receipt_number: "レコード番号",
      status: "ステータス",
      version: "バージョン",
      created_at: "作成日時",
      created_by: "作成者",
      updated_at: "更新日時",
      updated_by: "更新者",
    },
    statuses: { draft: "下書き", submitted: "送信済み", closed: "クローズ済み" },
    rows: { list: "明細", row: "行" },
    actors: { member: "メンバー", credential: "連携", system: "再計算" },
  },
};

/** Returns the words of the spreadsheet that has this header. Undefined for files that the service did not export. */
export function findSpreadsheetWords(header: readonly string[]): SpreadsheetWords | undefined {
  return languages
    .map((language) => spreadsheetWords[language])
    .find(({ columns: { id, version, created_at: createdAt } }) =>
      [id, version, createdAt].every((name) => header.includes(name)),
    );
}

const statusesByWord = new Map(
  languages.flatMap((language) =>
    Object.entries(spreadsheetWords[language].statuses).map(([status, word]) => [word, status]),
  ),
);

/** Converts a status from the words of a spreadsheet. Any other text stays unchanged. */
export const readStatus = (text: string): string => statusesByWord.get(text) ?? text;
