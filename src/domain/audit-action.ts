import type { ItemAction } from "./item/change";

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
