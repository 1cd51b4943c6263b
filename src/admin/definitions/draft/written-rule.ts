import type { DraftField } from "./draft";
import { readOptions } from "./option-lines";
import { counts, type Rule } from "./rules";

/** A rule as it was written, as the definition has it; what is wrong there is told by the definition's own check. */
export function writtenRule(rule: Rule, text: string, { type }: DraftField): unknown {
  if (rule === "options") return readOptions(text);
  if (text === "") return rule === "formula" ? "" : undefined;
  if (counts.has(rule)) return numberOr(text);
  if (rule !== "default") return text;
  if (type === "number") return numberOr(text);
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return type === "multi_select" || type === "line_items" ? jsonOr(text) : text;
}

const numberOr = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text));

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
