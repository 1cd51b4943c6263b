import { liveWebhookSecrets } from "../../domain/webhook/webhook";
import { Table } from "../../html/parts/table";
import { Time } from "../../html/time";
import { Rotation } from "../secrets/rotation";
import { WebhookFrame } from "./frame/webhook-frame";
import type { HookShown } from "./frame/hook-shown";

export function SecretsPage(shown: HookShown) {
  const { frame, hook } = shown;
  const secrets = liveWebhookSecrets(hook, frame.reader.now).toReversed();
  return (
    <WebhookFrame {...shown} tab="Secrets">
      <p class="lead">
        Messages carry a signature by each of these, so that the receiver knows whom they are from.
      </p>
      <Table caption="Secrets" heads={["Secret", "Made", "Ends"]}>
        {secrets.map(({ created_at, expires_at }, i) => (
          <tr>
            <th scope="row">{i === 0 ? "The newest" : "The one before"}</th>
            <td data-label="Made">
              <Time at={created_at} />
            </td>
            <td data-label="Ends">
              {expires_at === null ? "with the webhook" : <Time at={expires_at} />}
            </td>
          </tr>
        ))}
      </Table>
      <Rotation action={`/admin/webhooks/${hook.id}/rotate`} />
    </WebhookFrame>
  );
}
