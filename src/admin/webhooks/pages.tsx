import { type Webhook, findValidWebhookSecrets } from "#domain/webhook/webhook.ts";
import { deriveWebhookStatus, haveMakerRightsEnded } from "#domain/webhook/status.ts";
import { Badge, EmptyState, Table, Copyable } from "#html/parts.tsx";
import type { DeliveryHealth } from "#domain/webhook/delivery.ts";
import { Count, formatPercent, Time, useViewer } from "#html/viewer.tsx";
import { describeResources } from "#admin/credentials/describe.ts";
import { getWebhook, getWebhookWithLabels, listWebhooksWithHealth } from "#actions/webhooks.ts";
import { webhookDocument } from "#documents/webhooks.ts";
import { wantsJson } from "#admin/form-input.ts";
import { AdminPage } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import { useText } from "#admin/language/index.tsx";
import {
  OldSecretNotice,
  RotateSecretForm,
  SecretAlreadyShown,
  takeOneTimeSecret,
} from "#admin/one-time-secret.tsx";
import { webhookStateTones, describeTypes, webhookPath, WebhookLayout } from "./layout.tsx";

export const webhooksPage = page({
  load: ({ ctx }) => listWebhooksWithHealth(ctx),
  document: (hooks, { ctx }) => ({
    items: hooks.map(({ hook, health }) => ({
      ...webhookDocument(hook, ctx.now()),
      last_24_hours: health && { attempts: health.attempts, delivered: health.delivered },
      queued: health && health.queued,
    })),
  }),
  render(frame, hooks) {
    const { columns, labels, ...text } = frame.text.webhooks;
    const { name, url, resources, types } = labels;
    return (
      <AdminPage
        frame={frame}
        title={text.title}
        actions={
          <a class="button" href="/admin/webhooks/new">
            {text.create}
          </a>
        }
      >
        {hooks.length === 0 ? (
          <EmptyState>
            <p>{text.none}</p>
            <p>{text.purpose}</p>
          </EmptyState>
        ) : (
          <Table
            caption={text.title}
            columns={[
              name,
              url,
              resources,
              types,
              { name: columns.delivered, number: true },
              { name: columns.queue, number: true },
              columns.state,
            ]}
          >
            {hooks.map((each) => (
              <Row {...each} />
            ))}
          </Table>
        )}
      </AdminPage>
    );
  },
});

/** The share of accepted attempts, like “98% of 120”. */
function SuccessRate({ attempts, delivered }: DeliveryHealth) {
  const { locale } = useViewer();
  if (attempts === 0) return <span class="muted">–</span>;
  const percent = formatPercent({ locale }, delivered / attempts);
  return <>{useText().webhooks.successRate(percent, attempts)}</>;
}

function Row({ hook, health }: { hook: Webhook; health: DeliveryHealth | null }) {
  const { id, name, url, types } = hook;
  const { now } = useViewer();
  const status = deriveWebhookStatus(hook, now);
  const { state } = status;
  const text = useText();
  const { columns, deliveredLabel, labels } = text.webhooks;
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
      <td data-label={labels.resources}>{describeResources(hook.collections, text)}</td>
      <td data-label={labels.types}>{describeTypes(types, text)}</td>
      <td class="number nowrap" data-label={deliveredLabel}>
        {health ? <SuccessRate {...health} /> : <span class="muted">–</span>}
      </td>
      <td class="number" data-label={columns.queue}>
        {health ? <Count of={health.queued} /> : <span class="muted">–</span>}
      </td>
      <td class="full">
        <Badge tone={webhookStateTones[state]}>{text.terms.webhookStates[state]}</Badge>{" "}
        <small class="muted">
          {text.webhooks.layout.explanation(status, haveMakerRightsEnded(hook, now))}
          {status.nextAttemptAt === null ? null : (
            <> {text.webhooks.nextAttempt(<Time at={status.nextAttemptAt} as="distance" />)}</>
          )}
        </small>
      </td>
    </tr>
  );
}

/** Shows a new secret once. `secret` is undefined when the page has been shown before. */
export const newSecretPage = page({
  async load({ c, ctx, param }) {
    const hook = await getWebhook(ctx, param("id"));
    if (wantsJson(c)) return c.json(webhookDocument(hook, ctx.now()));
    return { hook, secret: await takeOneTimeSecret(c, webhookPath(hook.id)) };
  },
  render(frame, { hook, secret }) {
    const { id, name } = hook;
    const path = `/admin/webhooks/${id}`;
    const { secrets: shared, webhooks } = frame.text;
    const text = webhooks.secrets;
    return (
      <AdminPage
        frame={frame}
        title={text.newTitle}
        crumbs={[
          [webhooks.title, "/admin/webhooks"],
          [name, path],
        ]}
      >
        {secret === undefined ? (
          <SecretAlreadyShown kind="webhook" secretsPath={`${path}/secrets`} />
        ) : (
          <>
            <p class="notice warn">{shared.copyNow}</p>
            <OldSecretNotice
              kind="webhook"
              secrets={findValidWebhookSecrets(hook, frame.viewer.now)}
            />
            <h2>{text.secret}</h2>
            <Copyable id="secret" text={secret} />
            <p class="lead">
              {text.verify} <a href="/docs/webhooks#verify">{text.examples}</a>
            </p>
            <p class="actions">
              <a class="button quiet" href={path}>
                {shared.done}
              </a>
            </p>
          </>
        )}
      </AdminPage>
    );
  },
});

export const secretsPage = page({
  load: ({ ctx, param }) => getWebhookWithLabels(ctx, param("id")),
  document: ({ hook }, { ctx }) => ({ items: webhookDocument(hook, ctx.now()).secrets }),
  render(frame, found) {
    const secrets = findValidWebhookSecrets(found.hook, frame.viewer.now).toReversed();
    const { columns, webhook: words } = frame.text.secrets;
    const text = frame.text.webhooks.secrets;
    return (
      <WebhookLayout frame={frame} {...found} tab="secrets">
        <p class="lead">{text.signing}</p>
        <Table caption={words.title} columns={[words.column, columns.created, columns.expires]}>
          {secrets.map(({ created_at, expires_at }, i) => (
            <tr>
              <th scope="row">{i === 0 ? text.current : text.previous}</th>
              <td data-label={columns.created}>
                <Time at={created_at} />
              </td>
              <td data-label={columns.expires}>
                {expires_at === null ? text.expiresWithWebhook : <Time at={expires_at} />}
              </td>
            </tr>
          ))}
        </Table>
        <OldSecretNotice kind="webhook" secrets={secrets} />
        <RotateSecretForm kind="webhook" action={`/admin/webhooks/${found.hook.id}/rotate`} />
      </WebhookLayout>
    );
  },
});
