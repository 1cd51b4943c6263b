import type { CollectionLabel } from "#actions/operand-names.ts";
import type { WebhookWithSecret } from "#actions/webhooks.ts";
import { webhookWithSecretDocument } from "#documents/webhooks.ts";
import { type Tone, DescriptionList, Fold, ShortId, Badge, Tabs } from "#html/parts.tsx";
import { collectionKinds } from "#domain/definition/collection.ts";
import { kindOfType, type WebhookType, type Webhook } from "#domain/webhook/webhook.ts";
import {
  haveMakerRightsEnded,
  deriveWebhookStatus,
  type EffectiveWebhookState,
  type WebhookStatus,
} from "#domain/webhook/status.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { Time, useViewer } from "#html/viewer.tsx";
import { nameResources } from "#admin/credentials/describe.ts";
import { Action } from "#html/action-button.tsx";
import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";

export const webhookStateTones: Record<EffectiveWebhookState, Tone> = {
  active: "good",
  retrying: "warn",
  paused: "quiet",
  failing: "bad",
  disabled: "bad",
};

/** Returns a summary like “Submissions: created, updated”. */
export const describeTypes = (types: readonly WebhookType[], { webhooks }: Catalogue): string =>
  webhooks.typeSummary(
    collectionKinds
      .map((kind) => ({
        kind,
        chosen: types.filter((type) => kindOfType(type) === kind),
      }))
      .filter(({ chosen }) => chosen.length > 0),
  );

interface WebhookPageProps {
  frame: PageContext;
  hook: Webhook;
  /** The maker's email address or name. Null when the maker no longer exists. */
  makerName: string | null;
  /** The names of the apps and forms that the webhook can select. */
  collectionLabels: readonly CollectionLabel[];
}

const isOwnWebhook = ({ frame, hook }: WebhookPageProps) =>
  hook.maker === `member:${frame.member.id}`;

function WebhookSummary(props: WebhookPageProps) {
  const { id, url, types, collections, include, createdAt, maker } = props.hook;
  const text = useText();
  const { inputs, labels, layout } = text.webhooks;
  return (
    <DescriptionList
      facts={[
        [labels.url, <code class="wrap">{url}</code>],
        [labels.resources, nameResources(collections, props.collectionLabels, text)],
        [labels.types, describeTypes(types, text)],
        [labels.include, inputs.payloads[include].name],
        [layout.created, <Time at={createdAt} as="day" />],
        [layout.owner, isOwnWebhook(props) ? layout.you : <bdi>{props.makerName ?? maker}</bdi>],
        [layout.id, <ShortId of={id} />],
      ]}
    />
  );
}

function WebhookActions(props: WebhookPageProps) {
  const { frame, hook, makerName } = props;
  const { id, name, url } = hook;
  const { state } = deriveWebhookStatus(hook, frame.viewer.now);
  const path = `/admin/webhooks/${id}`;
  const text = useText().webhooks.layout;
  return (
    <>
      <Action action={`${path}/test`} name={text.test} quiet />
      {state === "active" || state === "retrying" ? (
        <Action action={path} name={text.pause} quiet values={{ state: "paused" }} />
      ) : haveMakerRightsEnded(hook, frame.viewer.now) ? null : (
        <Action action={path} name={text.resume} values={{ state: "active" }} />
      )}
      {isOwnWebhook(props) ? null : (
        <Action
          action={path}
          name={text.takeOwnership}
          title={text.ownershipTitle(name)}
          confirm={text.ownershipWarning(makerName)}
          values={{ url, state: "active" }}
        />
      )}
      <Action
        action={`${path}/delete`}
        name={text.remove}
        title={text.removeTitle(name)}
        confirm={text.removeWarning}
      />
    </>
  );
}

/**
 * Explains the state of a webhook that is not simply active, and how long the state lasts. Deliveries have a separate
 * notice of retries.
 */
function StateNotice({
  status,
  hook,
  tab,
}: {
  status: WebhookStatus;
  hook: Webhook;
  tab: WebhookLayoutProps["tab"];
}) {
  const text = useText().webhooks.layout;
  const { now } = useViewer();
  if (status.reason !== null)
    return <p class="notice bad">{text.stopped(status, haveMakerRightsEnded(hook, now))}</p>;
  if (status.state === "paused") return <p class="notice quiet">{text.paused}</p>;
  if (status.nextAttemptAt === null || tab === "deliveries") return null;
  return (
    <p class="notice warn">{text.retrying(<Time at={status.nextAttemptAt} as="distance" />)}</p>
  );
}

interface WebhookLayoutProps extends WebhookPageProps {
  tab: "deliveries" | "settings" | "secrets";
  problem?: Problem | undefined;
}

/** The layout of all views of a webhook: its state, its actions and its summary. */
export function WebhookLayout({
  tab,
  problem,
  children,
  ...props
}: PropsWithChildren<WebhookLayoutProps>) {
  const { frame, hook } = props;
  const path = `/admin/webhooks/${hook.id}`;
  const { now } = frame.viewer;
  const status = deriveWebhookStatus(hook, now);
  const { webhooks: text, terms } = frame.text;
  const { tabs } = text.layout;
  return (
    <AdminPage
      frame={frame}
      title={hook.name}
      crumbs={[[text.title, "/admin/webhooks"]]}
      badges={
        <Badge tone={webhookStateTones[status.state]}>{terms.webhookStates[status.state]}</Badge>
      }
      actions={<WebhookActions {...props} />}
      problem={problem}
      labels={text.labels}
    >
      <StateNotice status={status} hook={hook} tab={tab} />
      <Fold name={text.layout.details}>
        <WebhookSummary {...props} />
      </Fold>
      <Tabs
        label={text.layout.tabsLabel}
        current={tabs[tab]}
        tabs={[
          [tabs.deliveries, path],
          [tabs.settings, `${path}/settings`],
          [tabs.secrets, `${path}/secrets`],
        ]}
      />
      {children}
    </AdminPage>
  );
}

export const webhookPath = (id: string) => `/admin/webhooks/${id}`;

/** Builds the only response that contains the secret. */
export const secretOutcome = (shown: WebhookWithSecret, now: number) => ({
  secret: shown.secret,
  place: webhookPath(shown.hook.id),
  document: webhookWithSecretDocument(shown, now),
});
