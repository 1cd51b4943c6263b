import type { FieldSet } from "#domain/definition/field.ts";
import { isDeletion, statusFieldId, type ItemAction } from "#domain/item/change.ts";
import type { Matched } from "#domain/item/view-marks.ts";
import type { Webhook, WebhookType } from "./webhook.ts";

/** Decides which changes a webhook reports, and as which event. */

/** The webhook type that reports each action. */
const webhookTypeByAction: Record<ItemAction, WebhookType> = {
  "record.create": "record.created",
  "record.update": "record.updated",
  "record.recalculate": "record.updated",
  "record.erase": "record.deleted",
  "submission.create": "submission.created",
  "submission.update": "submission.updated",
  "submission.recalculate": "submission.updated",
  "submission.reopen": "submission.updated",
  "submission.close": "submission.closed",
  "submission.delete": "submission.deleted",
  "submission.erase": "submission.deleted",
};

/**
 * Finds the type under which a webhook with these types reports an action. Without `submission.closed`, it reports
 * closing as `submission.updated`, so that receivers miss no change.
 */
function findWebhookType(
  action: ItemAction,
  types: readonly WebhookType[],
): WebhookType | undefined {
  const type = webhookTypeByAction[action];
  if (types.includes(type)) return type;
  const fallback = type === "submission.closed" ? "submission.updated" : type;
  return types.find((candidate) => candidate === fallback);
}

const findLeftType = (action: ItemAction, types: readonly WebhookType[]) =>
  types.find(
    (type) => type === `${action.startsWith("record.") ? "record" : "submission"}.left_view`,
  );

/** Lists the actions that a webhook may report. */
export function listReportedActions({
  types,
  recalculations,
}: Pick<Webhook, "types" | "recalculations">): ItemAction[] {
  const actions = Object.keys(webhookTypeByAction) as ItemAction[];
  return actions.filter(
    (action) =>
      (findWebhookType(action, types) ?? findLeftType(action, types)) !== undefined &&
      (recalculations || !action.endsWith(".recalculate")),
  );
}

/** Lists the reported actions that `changed_fields` limits. */
export const listLimitedActions = (hook: Pick<Webhook, "types" | "recalculations">) =>
  listReportedActions(hook).filter((action) => isLimited(findWebhookType(action, hook.types)));

const isLimited = (type: WebhookType | undefined) => type?.endsWith(".updated") ?? false;

export interface WebhookEvent {
  type: WebhookType;
  /** Whether the item entered the view with this change. */
  hasEntered: boolean;
  /** Whether the item left the view with this change. A deletion is reported as such if possible. */
  hasLeft: boolean;
}

interface ReportedChange {
  action: ItemAction;
  /** Ids of the changed fields. */
  fields: readonly number[];
}

/**
 * Returns the event that reports a change. Undefined if the webhook does not report it. `matched` contains whether the
 * item was in the webhook's view, null for a whole collection. `changedIds` are the fields of `changed_fields`, null
 * for all.
 */
export function findWebhookEvent(
  { types }: Pick<Webhook, "types">,
  { action, fields }: ReportedChange,
  matched: Matched | null,
  changedIds: ReadonlySet<number> | null,
): WebhookEvent | undefined {
  const type = findWebhookType(action, types);
  const isReported =
    type && (!changedIds || !isLimited(type) || fields.some((id) => changedIds.has(id)));
  if (matched === null || matched.after) {
    const hasEntered = matched !== null && !matched.before;
    return isReported ? { type, hasEntered, hasLeft: false } : undefined;
  }
  if (!matched.before) return undefined;
  if (type && isDeletion(action)) return { type, hasEntered: false, hasLeft: false };
  const leftType = findLeftType(action, types);
  return leftType && { type: leftType, hasEntered: false, hasLeft: true };
}

/** Returns the ids of the fields with these keys. A renamed or removed field still matches its former key. */
export function findChangedIds(
  { fields, retired }: FieldSet,
  keys: readonly string[],
): Set<number> {
  return new Set(
    keys.flatMap((key) => {
      if (key === "$status") return [statusFieldId];
      const match =
        fields.find((field) => field.key === key) ??
        [...fields, ...retired].find(
          (field) => field.key === key || field.previous_keys.includes(key),
        );
      return match ? [match.id] : [];
    }),
  );
}
