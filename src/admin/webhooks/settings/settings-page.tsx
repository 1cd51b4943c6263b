import type { Problem } from "../../../domain/problem/problem";
import type { Reachable } from "../../../store/credentials/reachable";
import type { Sent } from "../../frame/sent";
import { pageRefusal } from "../webhook-input";
import { WebhookFrame } from "../frame/webhook-frame";
import type { HookShown } from "../frame/hook-shown";
import { Inputs } from "./inputs";

export function SettingsPage({
  reachable,
  sent,
  problem,
  ...shown
}: HookShown & { reachable: readonly Reachable[]; sent: Sent; problem?: Problem }) {
  const { id, version } = shown.hook;
  return (
    <WebhookFrame {...shown} tab="Settings" problem={problem && pageRefusal(problem)}>
      <form method="post" action={`/admin/webhooks/${id}`} class="issue">
        <input type="hidden" name="page" value="webhook" />
        <input type="hidden" name="version" value={String(version)} />
        <Inputs reachable={reachable} sent={sent} />
        <p class="muted">
          Whoever changes more than the name becomes its maker: it then tells what they may read.
        </p>
        <button type="submit">Save changes</button>
      </form>
    </WebhookFrame>
  );
}
