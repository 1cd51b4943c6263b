import type { ItemAction } from "#domain/item/change.ts";

/**
 * Who does something: a credential, a member in the administration area, the service itself (a recalculation), or
 * somebody who is not signed in yet.
 */
export type Actor = `credential:${string}` | `member:${string}` | "system" | "nobody";

/** Acts of a member upon themselves. */
export type OwnAction =
  | "member.setup"
  | "member.join"
  | "member.password"
  | "member.sign_out_everywhere";

/** What somebody did to something else, as the audit names it. */
export type OutwardAction =
  | ItemAction
  | "definition.create"
  | "definition.change"
  | "index.check"
  | "credential.issue"
  | "credential.edit"
  | "credential.rotate"
  | "credential.revoke"
  | "member.invite"
  | "member.withdraw"
  | "member.change"
  | "member.remove"
  | "webhook.create"
  | "webhook.change"
  | "webhook.rotate"
  | "webhook.delete"
  | "webhook.fail"
  | "webhook.disable";

export type AuditAction = OwnAction | OutwardAction;
