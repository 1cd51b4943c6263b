import type { FieldError } from "#domain/problem/problem.ts";
import type { MatchBudget } from "#domain/pattern/pattern.ts";
import { missingErrors, checkSent, withDefaults, type Work } from "./check-values.ts";
import type { Compiled } from "./compile.ts";
import { effortOfItem } from "./compute-budget.ts";
import { showData, type Data, ignored, type Warning } from "./values.ts";
import { nothingBefore, storedBefore } from "./unchanged-values.ts";

export interface Checked {
  data: Data;
  errors: FieldError[];
  warnings: Warning[];
}

export const nothingChecked: Checked = { data: {}, errors: [], warnings: [] };

type Sent = Record<string, unknown>;

/** Data for a new item. Drafts skip `required` and `min_rows`. Defaults fill what was not sent. */
export function checkNew(
  compiled: Compiled,
  sent: Sent,
  draft: boolean,
  { matching } = effortOfItem(),
): Checked {
  const whole = withDefaults(compiled.fields, sent);
  const checked = checkWhole(compiled, whole, draft, matching);
  return { ...checked, warnings: ignored(compiled.fields, sent, "") };
}

/**
 * What was sent, applied to what is stored. Only the fields that were sent are judged, and of these only what differs:
 * what is stored and sent back stays valid, whatever the definition has become.
 */
export function checkPatch(
  compiled: Compiled,
  stored: Data,
  sent: Sent,
  draft: boolean,
  { matching } = effortOfItem(),
): Checked {
  const work: Work = { errors: [], draft, matching };
  const { errors } = work;
  const before = storedBefore(stored);
  const { values, failed } = checkSent(compiled.fields, sent, ["data"], work, before);
  const data = { ...stored };
  for (const [slot, value] of values) {
    if (value === undefined) delete data[slot];
    else data[slot] = value;
  }
  if (!draft) {
    const touched = compiled.fields.list.filter(({ field }) => Object.hasOwn(sent, field.key));
    errors.push(...missingErrors(touched, data, failed, ["data"], before));
  }
  return { data, errors, warnings: ignored(compiled.fields, sent, "") };
}

/** A draft that is submitted answers for all of its fields, those sent before included. */
export function checkSubmitted(
  compiled: Compiled,
  stored: Data,
  sent: Sent,
  { matching } = effortOfItem(),
): Checked {
  const whole = { ...showData(compiled, stored), ...sent };
  const checked = checkWhole(compiled, whole, false, matching);
  const isSent = new Set(
    compiled.fields.list
      .filter(({ field }) => Object.hasOwn(sent, field.key))
      .map(({ slot }) => slot),
  );
  // What was not sent stays as it is stored, with what retired fields hold, in rows too.
  const kept = Object.entries(stored).filter(([slot]) => !isSent.has(slot));
  return {
    data: { ...checked.data, ...Object.fromEntries(kept) },
    errors: checked.errors,
    warnings: ignored(compiled.fields, sent, ""),
  };
}

function checkWhole(
  compiled: Compiled,
  whole: Sent,
  draft: boolean,
  matching: MatchBudget,
): Checked {
  const work: Work = { errors: [], draft, matching };
  const { errors } = work;
  const { values, failed } = checkSent(compiled.fields, whole, ["data"], work, nothingBefore);
  const data: Data = {};
  for (const [slot, value] of values) if (value !== undefined) data[slot] = value;
  if (!draft) {
    errors.push(...missingErrors(compiled.fields.list, data, failed, ["data"], nothingBefore));
  }
  return { data, errors, warnings: [] };
}
