import { typeWords, type FieldType } from "./types";
import type { Flag, Rule } from "./rules";

/** A field as the editor has it: all that is written, right or wrong. */
export interface DraftField {
  /** The key that it is stored under; empty for a new one. */
  was: string;
  /** A digest of what it was when the editor was opened. */
  seen: string;
  /** Empty where it is to be made from the label. */
  key: string;
  label: string;
  type: FieldType;
  flags: Partial<Record<Flag, boolean>>;
  rules: Partial<Record<Rule, string>>;
  /** The columns of line items. */
  fields: DraftField[];
  /** Whether its further rules are shown. */
  open: boolean;
}

/** A definition as the editor has it. */
export interface Draft {
  /** The version that it was made from; 0 for a new one. */
  version: number;
  key: string;
  name: string;
  fields: DraftField[];
}

export const labelOf = ({ label, type }: DraftField) => label.trim() || typeWords[type];
