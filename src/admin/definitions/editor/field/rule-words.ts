import type { DraftField } from "../../draft/draft";
import type { Flag, Rule } from "../../draft/rules";

export const ruleWords: Partial<Record<Rule, [label: string, hint?: string]>> = {
  min_length: ["At least … characters"],
  max_length: ["At most … characters"],
  pattern: ["Pattern", "A regular expression that the text must match"],
  minimum: ["At least"],
  maximum: ["At most"],
  decimals: ["Decimals"],
  min_rows: ["At least … rows"],
  max_rows: ["At most … rows"],
  default: ["Default", "Stored where nothing is written"],
};

export const flagWords: Partial<Record<Flag, string>> = {
  integer: "Whole numbers only",
  searchable: "Can be searched and sorted",
};

/** The rules that are set, in a few words. */
export function summaryOf({ rules, flags }: DraftField): string {
  const said = Object.entries(ruleWords)
    .filter(([rule]) => (rules[rule as Rule] ?? "") !== "")
    .map(([rule, words]) => {
      const value = rules[rule as Rule] ?? "";
      const label = words[0];
      return label.includes("…") ? label.replace("…", value) : `${label} ${value}`;
    });
  if (flags.searchable === false) said.push("Not searchable");
  return said.join(", ").slice(0, 120);
}
