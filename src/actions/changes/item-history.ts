import { showValue } from "../../domain/data/show";
import type { Value } from "../../domain/data/values";
import { statusField } from "../../domain/item/change";
import type { FieldChange, HistoryEntry, ItemHistory } from "../../domain/item/history";
import { readHistory } from "../../store/changes/history";
import type { ActionContext } from "../context";
import type { Stored } from "../visible";

const mostChanges = 100;
const mostBytes = 1_000_000;

/** Who changed which field of an item from what to what: the last 100 changes, as far as they are kept. */
export async function itemHistory(
  ctx: ActionContext,
  { item, compiled }: Stored,
): Promise<ItemHistory> {
  if (item.lastChange === null) return { entries: [], older: item.version > 1 };
  const past = await readHistory(ctx.db, {
    from: item.lastChange,
    limit: mostChanges,
    bytes: mostBytes,
  });
  // What a field holds behind the change that is looked at: what it held before the next one that changed it.
  const held = new Map<string, Value | null>(Object.entries(item.data));
  held.set(String(statusField), item.status);
  const entries = past.map(
    ({ version, at, actor: by, actorName: byName, action, former }): HistoryEntry => {
      const isCreation = action.endsWith(".create");
      const fields = former && fieldChanges(compiled, former, held);
      return { version, at, by, byName, action, fields: isCreation ? [] : fields };
    },
  );
  const oldest = past.at(-1);
  return { entries, older: oldest !== undefined && oldest.version > 1 };
}

function fieldChanges(
  { fields }: Stored["compiled"],
  former: Record<string, Value | null>,
  held: Map<string, Value | null>,
): FieldChange[] {
  const changed = fields.list
    .filter(({ slot }) => slot in former)
    .map((field): FieldChange => {
      const { key, label } = field.field;
      const show = (value: Value | null | undefined) => showValue(field, value ?? undefined);
      return { key, label, from: show(former[field.slot]), to: show(held.get(field.slot)) };
    });
  const status = String(statusField);
  if (status in former) {
    const [from, to] = [former[status] ?? null, held.get(status) ?? null];
    changed.push({ key: "$status", label: "Status", from, to });
  }
  for (const [slot, value] of Object.entries(former)) held.set(slot, value);
  return changed;
}
