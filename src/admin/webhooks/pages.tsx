import { type Webhook, findValidWebhookSecrets } from "#domain/webhook/webhook.ts";
import { deriveWebhookStatus } from "#domain/webhook/status.ts";
import { Badge, EmptyState, Table, Copyable } from "#html/parts.tsx";
import { Time, useViewer } from "#html/viewer.tsx";
import { describeResources } from "#admin/credentials/describe.ts";
import { getWebhook, getWebhookWithMaker, listVisibleWebhooks } from "#actions/webhooks.ts";
import { webhookDocument } from "#documents/webhooks.ts";
import { wantsJson } from "#admin/form-input.ts";
import { AdminPage } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import { webhookStateBadges, describeTypes, webhookPath, WebhookLayout } from "./layout.tsx";
import { RotateSecretForm, takeOneTimeSecret } from "#admin/one-time-secret.tsx";

export const webhooksPage = page({
  load: ({ ctx }) => listVisibleWebhooks(ctx),
  document: (hooks, { ctx }) => ({
    items: hooks.map((hook) => webhookDocument(hook, ctx.now())),
  }),
  render: (frame, hooks) => (
    <AdminPage
      frame={frame}
      title="Webhooks"
      actions={
        <a class="button" href="/admin/webhooks/new">
          {" "}
          Create webhook{" "}
        </a>
      }
    >
      {hooks.length === 0 ? (
        <EmptyState>
          <p>No webhooks yet</p>
          <p>A webhook sends an event to another system when a record or submission changes.</p>
        </EmptyState>
      ) : (
        <Table
          caption="Webhooks"
          columns={["Name", "Endpoint URL", "Forms and apps", "Events", "Created", "State"]}
        >
          {hooks.map((hook) => (
            <Row hook={hook} />
          ))}
        </Table>
      )}
    </AdminPage>
  ),
});

function Row({ hook }: { hook: Webhook }) {
  const { id, name, url, types, createdAt } = hook;
  const { state, reason, lastError } = deriveWebhookStatus(hook, useViewer().now);
  const [stateName, tone] = webhookStateBadges[state];
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
      <td data-label="Forms and apps">{describeResources(hook.collections)}</td>
      <td data-label="Events">{describeTypes(types)}</td>
      <td class="less">
        <Time at={createdAt} as="day" />
      </td>
      <td title={reason ?? lastError ?? undefined}>
        <Badge tone={tone}>{stateName}</Badge>
      </td>
    </tr>
  );
}

/** Shows a new secret once. `secret` is undefined when the page was shown before. */
export const newSecretPage = page({
  async load({ c, ctx, param }) {
    const hook = await getWebhook(ctx, param("id"));
    if (wantsJson(c)) return c.json(webhookDocument(hook, ctx.now()));
    return { hook, secret: await takeOneTimeSecret(c, webhookPath(hook.id)) };
  },
  render(frame, { hook: { id, name }, secret }) {
    const path = `/admin/webhooks/${id}`;
    return (
      <AdminPage
        frame={frame}
        title="Your webhook secret"
        crumbs={[
          ["Webhooks", "/admin/webhooks"],
          [name, path],
        ]}
      >
        {secret === undefined ? (
          <>
            <p class="notice warn">
              This secret was already shown. If you didn’t copy it, rotate it to get a new one.
            </p>
            <p>
              <a class="button" href={`${path}/secrets`}>
                View secrets
              </a>
            </p>
          </>
        ) : (
          <>
            <p class="notice warn">Copy it now. You won’t see it again.</p>
            <h2>Secret</h2>
            <Copyable id="secret" text={secret} />
            <p class="lead">
              Use it in the receiver to verify each event.{" "}
              <a href="/docs/webhooks#verify">See examples</a>
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
  },
});

export const secretsPage = page({
  load: ({ ctx, param }) => getWebhookWithMaker(ctx, param("id")),
  document: ({ hook }, { ctx }) => ({ items: webhookDocument(hook, ctx.now()).secrets }),
  render(frame, found) {
    const secrets = findValidWebhookSecrets(found.hook, frame.viewer.now).toReversed();
    return (
      <WebhookLayout frame={frame} {...found} tab="Secrets">
        <p class="lead">The webhook signs each event with all of these secrets.</p>
        <Table caption="Secrets" columns={["Secret", "Created", "Expires"]}>
          {secrets.map(({ created_at, expires_at }, i) => (
            <tr>
              <th scope="row">{i === 0 ? "Current" : "Previous"}</th>
              <td data-label="Created">
                <Time at={created_at} />
              </td>
              <td data-label="Expires">
                {expires_at === null ? "With the webhook" : <Time at={expires_at} />}
              </td>
            </tr>
          ))}
        </Table>
        <RotateSecretForm action={`/admin/webhooks/${found.hook.id}/rotate`} />
      </WebhookLayout>
    );
  },
});
