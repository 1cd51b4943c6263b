import { toHalfWidth } from "#domain/text.ts";

/** Texts in quotation marks, which stay as they are. */
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

/** Replaces the signs and the full-width characters that Japanese keyboards enter: （数量×２） becomes (数量*2). */
export const toPlainFormula = (formula: string): string =>
  formula
    .split(quotedText)
    .map((part, index) =>
      // The parts between the quoted texts have even positions.
      index % 2 === 1
        ? part
        : toHalfWidth(part).replaceAll(/[×÷≥≦≧≤≠、]/g, (sign) => signs[sign] ?? sign),
    )
    .join("");
