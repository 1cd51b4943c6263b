import type { Child } from "hono/jsx";
import { capitalize } from "#domain/text.ts";
import { sentence } from "#admin/language/sentence.ts";
import { listing, plural, type Words } from "./words.ts";

/** The items with values or options that a change hides or removes. Undefined if they were not counted. */
type Affected = { count: number; text: string } | undefined;

const keepValue = (items: Affected): string => {
  if (!items) return "Existing values are kept, and come back when you restore the field.";
  if (items.count === 0) return "No item has a value in it.";
  return `${capitalize(items.text)} ${plural(items.count, "has", "have")} a value in it. The values are kept, and come back when you restore the field.`;
};

const keepOptions = (items: Affected): string => {
  if (!items) return "Items keep them, but they can no longer be selected.";
  if (items.count === 0) return "No item uses them.";
  return `${capitalize(items.text)} ${plural(items.count, "keeps its value", "keep their values")}, but it can no longer be selected.`;
};

/** The effects of saving on a field. */
const fields = () => ({
  added: (field: Child) => sentence`Adds ${field}.`,
  renamed: (field: Child, from: Child, to: Child) =>
    sentence`Renames the key of ${field} from ${from} to ${to}. All items keep their values. API requests with the old key fail and name the new one.`,
  hidden: (field: Child, items: Affected) => sentence`Hides ${field}. ${keepValue(items)}`,
  restored: (field: Child) => sentence`Restores ${field} with its data.`,
  retyped: (field: Child) =>
    sentence`Replaces ${field} with a field of another type. The old data is kept.`,
  optionsRemoved: (field: Child, options: readonly string[], items: Affected) =>
    sentence`Removes ${options.map((option) => `“${option}”`).join(", ")} from ${field}. ${keepOptions(items)}`,
  relabeled: (field: Child, from: Child) =>
    sentence`Renames ${from} to ${field}. All items keep their values. The field’s key in the API stays the same.`,
  becomesRequired: (field: Child) =>
    sentence`Makes ${field} required. Stored items without a value stay valid.`,
  becomesOptional: (field: Child) => sentence`Makes ${field} optional.`,
  changed: (field: Child) => sentence`Changes ${field}. Stored values stay valid.`,
});

/** The effects of saving on items. `items` is like “1,204 submissions”. */
const work = () => ({
  checksUnique: (items: string, names: Child) =>
    sentence`Checks ${items} for duplicate values in ${names}.`,
  checksType: (items: string, names: Child) =>
    sentence`Checks that none of ${items} has a value of the old type in ${names}.`,
  indexes: (items: string, names: Child) => sentence`Indexes ${items} for ${names}.`,
  recalculates: (items: string, names: Child) => sentence`Recalculates ${names} for ${items}.`,
});

/** The effects of saving, which the editor of a definition shows before. */
export const definitionChanges = ({ quantity }: Words) => ({
  title: "Changes",
  none: "No changes.",
  openView: (view: string) => `Open “${view}”`,
  fixFields: "Fix the highlighted fields first.",
  /** The missing parts of a draft. */
  finish: ({ options, formulas }: { options: boolean; formulas: boolean }) => {
    const parts = [...(options ? ["options"] : []), ...(formulas ? ["formulas"] : [])];
    return parts.length === 0
      ? "Complete the fields to finish."
      : `Add the missing ${listing(parts)} to finish.`;
  },
  fields: fields(),
  work: work(),
  webhookCount: (count: number) => quantity(count, "webhook"),
  credentialCount: (count: number) => quantity(count, "credential"),
  noEvents: "Webhooks receive no events for recalculated items.",
  events: (webhooks: Child, count: number, events: number) =>
    sentence`${webhooks} ${plural(count, "receives", "receive")} up to ${quantity(events, "event")}${count > 1 ? " each" : ""}.`,
  views: (views: Child, count: number) =>
    sentence`Changes what ${plural(count, "the view", "the views")} ${views} ${plural(count, "matches or shows", "match or show")}.`,
  credentials: (credentials: Child) =>
    sentence`Credentials see other items or fields: ${credentials}.`,
  webhooks: (webhooks: Child) => sentence`Webhooks follow other items or fields: ${webhooks}.`,
});
