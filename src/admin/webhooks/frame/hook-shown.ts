import type { Webhook } from "../../../domain/webhook/webhook";
import type { Frame } from "../../frame/frame";

export interface HookShown {
  frame: Frame;
  hook: Webhook;
  /** Its maker's e-mail or name; null where that one is gone. */
  makerName: string | null;
}

export const isOwn = ({ frame, hook }: HookShown) => hook.maker === `member:${frame.member.id}`;
