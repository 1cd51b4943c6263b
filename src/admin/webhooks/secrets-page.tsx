import { liveWebhookSecrets } from "../../domain/webhook/webhook";
import { Copyable } from "../../html/parts/copyable";
import { Table } from "../../html/parts/table";
import { Time } from "../../html/time";
import { AdminPage } from "../frame/layout";
import { Rotation } from "../secrets/rotation";
import { WebhookFrame, type HookShown } from "./webhook-frame";

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

/** A new secret, this once; `secret` is absent where it was shown before. */
export function NewSecretPage({
  frame,
  hook: { id, name },
  secret,
}: Omit<HookShown, "makerName"> & { secret: string | undefined }) {
  const path = `/admin/webhooks/${id}`;
  return (
    <AdminPage
      frame={frame}
      title="Your webhook’s secret"
      crumbs={[
        ["Webhooks", "/admin/webhooks"],
        [name, path],
      ]}
    >
      {secret === undefined ? (
        <>
          <p class="notice warn">It was shown once. Where it was not copied, make a new one.</p>
          <p>
            <a class="button" href={`${path}/secrets`}>
              To the secrets
            </a>
          </p>
        </>
      ) : (
        <>
          <p class="notice warn">Copy it now: it is shown this once.</p>
          <h2>Secret</h2>
          <Copyable id="secret" text={secret} />
          <p class="lead">
            The receiver verifies with it what comes, as{" "}
            <a href="/docs/webhooks#verify">these programs do</a>.
          </p>
          <p class="actions">
            <a class="button quiet" href={path}>
              Done
            </a>
          </p>
        </>
      )}
    </AdminPage>
  );
}
