import { toHalfWidth } from "#domain/text.ts";

/** Matches texts in quotation marks, which stay unchanged. */
const quotedText = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/;

const signs: Record<string, string> = {
  "×": "*",
  "÷": "/",
  "≥": ">=",
  "≦": "<=",
  "≧": ">=",
  "≤": "<=",
  "≠": "!=",
  "、": ",",
};

/** Replaces the full-width characters and signs that Japanese keyboards type: （数量×２） becomes (数量*2). */
export const toPlainFormula = (formula: string): string =>
  formula
    .split(quotedText)
    .map((part, index) =>
      // The parts outside quotation marks have even indexes.
      index % 2 === 1
        ? part
        : toHalfWidth(part).replaceAll(/[×÷≥≦≧≤≠、]/g, (sign) => signs[sign] ?? sign),
    )
    .join("");
