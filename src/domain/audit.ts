import type { AuditedItemAction } from "#domain/item/change.ts";

/**
 * The actor of an action: a credential, a member in the administration area, the service itself (for example a
 * recalculation), or a visitor without a session.
 */
export type Actor = `credential:${string}` | `member:${string}` | "system" | "nobody";

/** Actions of members on their own accounts. */
export type AccountAction =
  | "member.setup"
  | "member.join"
  | "member.password"
  | "member.reset"
  | "member.name"
  | "member.sign_out_session"
  | "member.sign_out_everywhere";

/** Actions on items and on administrative resources, by their names in the audit log. */
export type ResourceAction =
  | AuditedItemAction
  | "definition.create"
  | "definition.change"
  | "definition.delete"
  | "definition.restore"
  | "definition.erase"
  | "index.check"
  | "database.restore"
  | "move.start"
  | "move.stop"
  | "credential.issue"
  | "credential.edit"
  | "credential.rotate"
  | "credential.expire_secret"
  | "credential.revoke"
  | "member.invite"
  | "member.withdraw"
  | "member.change"
  | "member.remove"
  | "member.reset_link"
  | "person.search"
  | "webhook.create"
  | "webhook.change"
  | "webhook.rotate"
  | "webhook.delete"
  | "webhook.fail"
  | "webhook.disable";

/** The kinds of subjects that sentences can name. */
export type SubjectKind = "credential" | "webhook" | "form" | "app" | "record" | "submission";

/** The maximum number of items of one request that the overview counts. */
export const maxCountedItems = 1000;

/** Details that the audit log stores with an action. */
export interface AuditDetail {
  /** The name of a member before and after it changed. */
  name?: { from: string; to: string };
  /** The names of the views, if a change of a definition changes only views. */
  views?: { saved: string[]; deleted: string[] };
}

export type AuditAction = AccountAction | ResourceAction;
