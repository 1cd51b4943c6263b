import { isObject } from "#domain/json.ts";
import { numberOf, textOf, type FormValues } from "#admin/form-input.ts";

/** An item that a bulk action omitted. */
export interface RejectedItem {
  id: string;
  title: string;
  reason: string;
}

/** The results of a bulk action so far. */
export interface BulkReport {
  /** The number of changed items. */
  done: number;
  /** The number of items that already had the value. */
  unchanged: number;
  refused: number;
  /** The first rejected items. */
  refusals: RejectedItem[];
}

const emptyReport = (): BulkReport => ({ done: 0, unchanged: 0, refused: 0, refusals: [] });

/** The maximum number of rejected items in a report. */
export const maxRefusals = 100;

const maxTotal = 1_000_000_000;

export const readNumber = (form: FormValues, name: string) =>
  Math.min(maxTotal, Math.max(0, Math.trunc(numberOf(form[name])) || 0));

/**
 * Reads the report of the earlier steps, which the form contains. Only the member who sends it sees it, so it needs no
 * signature.
 */
export function readReport(form: FormValues): BulkReport {
  if (form["from"] === undefined) return emptyReport();
  const [done, unchanged] = [readNumber(form, "done"), readNumber(form, "unchanged")];
  return { done, unchanged, refused: readNumber(form, "refused"), refusals: readRefusals(form) };
}

function readRefusals(form: FormValues): RejectedItem[] {
  const formValue = form["refusals"];
  try {
    const parsed: unknown = typeof formValue === "string" ? JSON.parse(formValue) : formValue;
    return Array.isArray(parsed) ? parsed.flatMap(toRefusal).slice(0, maxRefusals) : [];
  } catch {
    return [];
  }
}

function toRefusal(entry: unknown): RejectedItem[] {
  if (!isObject(entry)) return [];
  const { id, title, reason } = entry;
  return [{ id: textOf(id), title: textOf(title), reason: textOf(reason) }];
}

/** The report for scripts. */
export const reportDocument = ({ done, unchanged, refused, refusals }: BulkReport) => ({
  done,
  unchanged,
  refused,
  failed: refusals,
});
