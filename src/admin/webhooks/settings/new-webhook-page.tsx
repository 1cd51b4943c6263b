import type { Problem } from "../../../domain/problem/problem";
import type { Reachable } from "../../../store/credentials/reachable";
import type { Frame } from "../../frame/frame";
import { AdminPage } from "../../frame/layout";
import type { Sent } from "../../frame/sent";
import { pageRefusal } from "../webhook-input";
import { labels } from "../words";
import { Inputs } from "./inputs";

export function NewWebhookPage({
  frame,
  reachable,
  sent,
  problem,
}: {
  frame: Frame;
  reachable: readonly Reachable[];
  sent: Sent;
  problem?: Problem;
}) {
  return (
    <AdminPage
      frame={frame}
      title="Add a webhook"
      crumbs={[["Webhooks", "/admin/webhooks"]]}
      problem={problem && pageRefusal(problem)}
      labels={labels}
    >
      <form method="post" action="/admin/webhooks" class="issue">
        <input type="hidden" name="page" value="webhook" />
        <Inputs reachable={reachable} sent={sent} />
        <p class="muted">It tells what you may read, from now on, for as long as you may.</p>
        <p class="actions">
          <button type="submit">Add webhook</button>
          <a class="button quiet" href="/admin/webhooks">
            Cancel
          </a>
        </p>
      </form>
    </AdminPage>
  );
}
