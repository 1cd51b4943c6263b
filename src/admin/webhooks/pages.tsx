import { type Webhook, liveWebhookSecrets } from "#domain/webhook/webhook.ts";
import { Badge, Empty, Table, Copyable } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { resourcesInWords } from "#admin/credentials/describe.ts";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import { stateNames, typesInWords, type HookShown, WebhookFrame } from "./layout.tsx";
import { Rotation } from "#admin/one-time-secret.tsx";

export function WebhooksPage({ frame, hooks }: { frame: Frame; hooks: readonly Webhook[] }) {
  return (
    <AdminPage
      frame={frame}
      title="Webhooks"
      acts={
        <a class="button" href="/admin/webhooks/new">
          Add webhook
        </a>
      }
    >
      {hooks.length === 0 ? (
        <Empty>
          <p>Nobody is told of changes yet.</p>
          <p>A webhook tells another system what happens to records and submissions.</p>
        </Empty>
      ) : (
        <Table
          caption="Webhooks"
          heads={["Name", "Address", "Listens to", "Tells of", "Made", "State"]}
        >
          {hooks.map((hook) => (
            <Row hook={hook} />
          ))}
        </Table>
      )}
    </AdminPage>
  );
}

function Row({ hook }: { hook: Webhook }) {
  const { id, name, url, types, createdAt, state, reason } = hook;
  const [stateName, tone] = stateNames[state];
  return (
    <tr>
      <th scope="row">
        <a href={`/admin/webhooks/${id}`}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td class="full">
        <code title={url}>{url}</code>
      </td>
      <td data-label="Listens to">{resourcesInWords(hook.collections)}</td>
      <td data-label="Tells of">{typesInWords(types)}</td>
      <td class="less">
        <Time at={createdAt} as="day" />
      </td>
      <td title={reason ?? undefined}>
        <Badge tone={tone}>{stateName}</Badge>
      </td>
    </tr>
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
