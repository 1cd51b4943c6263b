import { showValue } from "../../domain/data/show";
import type { Value } from "../../domain/data/values";
import { statusField } from "../../domain/item/change";
import type { FieldChange, HistoryEntry, ItemHistory } from "../../domain/item/history";
import type { CollectionKind } from "../../domain/definition/collection";
import { readHistory, type PastChange } from "../../store/changes/history";
import type { ActionContext } from "../context";
import { visibleWithHistory, type Found, type Stored } from "../visible";

/** The last 100 changes, as far as they are kept. */
const most = { limit: 100, bytes: 1_000_000 };

/** Who changed which field of an item from what to what. */
export async function itemHistory(ctx: ActionContext, stored: Stored): Promise<ItemHistory> {
  const { lastChange } = stored.item;
  if (lastChange === null) return historyOf(stored, []);
  return historyOf(stored, await readHistory(ctx.db, { from: lastChange, ...most }));
}

/** An item of this app or form, with the same. */
export async function itemWithHistory(
  ctx: ActionContext,
  name: { kind: CollectionKind; key: string; id: string },
): Promise<{ found: Found; history: ItemHistory }> {
  const { found, past } = await visibleWithHistory(ctx, name, most);
  return { found, history: historyOf(found, past) };
}

function historyOf({ item, compiled }: Stored, past: readonly PastChange[]): ItemHistory {
  if (item.lastChange === null) return { entries: [], older: item.version > 1 };
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
