import type { WebhookWithSecret } from "#actions/webhooks.ts";
import { webhookWithSecretDocument } from "#documents/webhooks.ts";
import { type Tone, DescriptionList, ShortId, Badge, Tabs } from "#html/parts.tsx";
import type { WebhookType, Webhook } from "#domain/webhook/webhook.ts";
import {
  haveMakerRightsEnded,
  deriveWebhookStatus,
  type EffectiveWebhookState,
} from "#domain/webhook/status.ts";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { Time } from "#html/viewer.tsx";
import { describeResources } from "#admin/credentials/describe.ts";
import { Action } from "#html/action-button.tsx";
import type { PropsWithChildren } from "hono/jsx";
import type { Problem } from "#domain/problem/problem.ts";

export const webhookLabels = {
  name: "Name",
  url: "Endpoint URL",
  types: "Events",
  resources: "Forms and apps",
  include: "Payload",
  recalculations: "Recalculations",
  changed_fields: "Changed fields",
};

export const webhookTypeNames: Record<WebhookType, string> = {
  "record.created": "Record created",
  "record.updated": "Record updated",
  "record.deleted": "Record deleted",
  "record.left_view": "Record left its view",
  "submission.created": "Submission created",
  "submission.updated": "Submission updated",
  "submission.deleted": "Submission deleted",
  "submission.closed": "Submission closed",
  "submission.left_view": "Submission left its view",
};

export const webhookStateBadges: Record<
  EffectiveWebhookState,
  readonly [name: string, tone: Tone]
> = {
  active: ["Active", "good"],
  retrying: ["Retrying", "warn"],
  paused: ["Paused", "quiet"],
  failing: ["Failing", "bad"],
  disabled: ["Disabled", "bad"],
};

/** A summary like “Submissions: created, updated”. */
export function describeTypes(types: readonly WebhookType[]): string {
  const describeNoun = (noun: "record" | "submission", label: string) => {
    const verbs = types
      .filter((type) => type.startsWith(`${noun}.`))
      .map((type) => type.slice(noun.length + 1).replace("_", " "));
    return verbs.length === 0 ? [] : [`${label}: ${verbs.join(", ")}`];
  };
  return [...describeNoun("record", "Records"), ...describeNoun("submission", "Submissions")].join(
    " · ",
  );
}

interface WebhookPageProps {
  frame: PageContext;
  hook: Webhook;
  /** The maker's email or name. Null when the maker no longer exists. */
  makerName: string | null;
}

const isOwnWebhook = ({ frame, hook }: WebhookPageProps) =>
  hook.maker === `member:${frame.member.id}`;

function WebhookSummary(props: WebhookPageProps) {
  const { id, url, types, collections, include, createdAt, maker } = props.hook;
  return (
    <DescriptionList
      facts={[
        [webhookLabels.url, <code class="wrap">{url}</code>],
        [webhookLabels.resources, describeResources(collections)],
        [webhookLabels.types, describeTypes(types)],
        [webhookLabels.include, include === "item" ? "Whole item" : "IDs only"],
        ["Created", <Time at={createdAt} as="day" />],
        ["Owner", isOwnWebhook(props) ? "You" : <bdi>{props.makerName ?? maker}</bdi>],
        ["ID", <ShortId of={id} />],
      ]}
    />
  );
}

function WebhookActions(props: WebhookPageProps) {
  const { frame, hook, makerName } = props;
  const { id, name, url } = hook;
  const { state } = deriveWebhookStatus(hook, frame.viewer.now);
  const path = `/admin/webhooks/${id}`;
  return (
    <>
      <Action action={`${path}/test`} name="Send test event" quiet />
      {state === "active" || state === "retrying" ? (
        <Action action={path} name="Pause webhook" quiet values={{ state: "paused" }} />
      ) : haveMakerRightsEnded(hook, frame.viewer.now) ? null : (
        <Action action={path} name="Resume webhook" values={{ state: "active" }} />
      )}
      {isOwnWebhook(props) ? null : (
        <Action
          action={path}
          name="Take ownership"
          title={`Take ownership of “${name}”?`}
          confirm={`It becomes active and sends only data you can access, not what ${makerName ?? "its owner"} can access.`}
          values={{ url, state: "active" }}
        />
      )}
      <Action
        action={`${path}/delete`}
        name="Delete webhook"
        title={`Delete “${name}”?`}
        confirm="Queued events won’t be sent. This permanently deletes its deliveries and secrets."
      />
    </>
  );
}

const tabs = (path: string) =>
  [
    ["Deliveries", path],
    ["Settings", `${path}/settings`],
    ["Secrets", `${path}/secrets`],
  ] as const;

interface WebhookLayoutProps extends WebhookPageProps {
  tab: "Deliveries" | "Settings" | "Secrets";
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
  const [state, tone] = webhookStateBadges[status.state];
  return (
    <AdminPage
      frame={frame}
      title={hook.name}
      crumbs={[["Webhooks", "/admin/webhooks"]]}
      badges={<Badge tone={tone}>{state}</Badge>}
      actions={<WebhookActions {...props} />}
      problem={problem}
      labels={webhookLabels}
    >
      {status.reason === null ? null : (
        <p class="notice bad">
          {status.reason}{" "}
          {haveMakerRightsEnded(hook, now) ? "Take ownership" : "Resume the webhook"} to send the
          queued events.
        </p>
      )}
      <WebhookSummary {...props} />
      <Tabs label="Webhook" current={tab} tabs={tabs(path)} />
      {children}
    </AdminPage>
  );
}

export const webhookPath = (id: string) => `/admin/webhooks/${id}`;

/** The only response with the secret. */
export const secretOutcome = (shown: WebhookWithSecret, now: number) => ({
  secret: shown.secret,
  place: webhookPath(shown.hook.id),
  document: webhookWithSecretDocument(shown, now),
});
