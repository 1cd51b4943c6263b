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
  url: "Address",
  types: "Tells of",
  resources: "Listens to",
  include: "Payload",
  recalculations: "Recalculations",
};

export const webhookTypeNames: Record<WebhookType, string> = {
  "record.created": "Records that are created",
  "record.updated": "Records that are changed",
  "submission.created": "Submissions that are created",
  "submission.updated": "Submissions that are changed",
  "submission.deleted": "Submissions that are deleted",
  "submission.closed": "Submissions that are closed",
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

/** A summary like “submissions: created, changed”. */
export function describeTypes(types: readonly WebhookType[]): string {
  const describeNoun = (noun: "record" | "submission") => {
    const verbs = types
      .filter((type) => type.startsWith(`${noun}.`))
      .map((type) => (type.endsWith(".updated") ? "changed" : type.slice(noun.length + 1)));
    return verbs.length === 0 ? [] : [`${noun}s: ${verbs.join(", ")}`];
  };
  return [...describeNoun("record"), ...describeNoun("submission")].join("; ");
}

interface WebhookPageProps {
  frame: PageContext;
  hook: Webhook;
  /** The maker's e-mail or name. Null when the maker no longer exists. */
  makerName: string | null;
}

const isOwnWebhook = ({ frame, hook }: WebhookPageProps) =>
  hook.maker === `member:${frame.member.id}`;

function WebhookSummary(props: WebhookPageProps) {
  const { id, url, types, collections, include, createdAt, maker } = props.hook;
  return (
    <DescriptionList
      facts={[
        ["Address", <code class="wrap">{url}</code>],
        ["Listens to", describeResources(collections)],
        ["Tells of", describeTypes(types)],
        ["Sends", include === "item" ? "the whole item" : "ids alone"],
        ["Made", <Time at={createdAt} as="day" />],
        ["With the rights of", isOwnWebhook(props) ? "you" : <bdi>{props.makerName ?? maker}</bdi>],
        ["Id", <ShortId of={id} />],
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
      <Action action={`${path}/test`} name="Send a test" quiet />
      {state === "active" || state === "retrying" ? (
        <Action action={path} name="Pause" quiet values={{ state: "paused" }} />
      ) : haveMakerRightsEnded(hook, frame.viewer.now) ? null : (
        <Action action={path} name="Resume" values={{ state: "active" }} />
      )}
      {isOwnWebhook(props) ? null : (
        <Action
          action={path}
          name="Take over"
          title="Take it over?"
          confirm={`It then tells what you may read, in place of what ${makerName ?? "its maker"} may, and is active.`}
          values={{ url, state: "active" }}
        />
      )}
      <Action
        action={`${path}/delete`}
        name="Delete"
        title={`Delete “${name}”?`}
        confirm="It tells nothing any more, and what it has not told yet is never told by it. Its deliveries and secrets are lost."
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
          {status.reason} The webhook keeps its place and continues from there once{" "}
          {haveMakerRightsEnded(hook, now) ? "somebody takes it over" : "it is resumed"}.
        </p>
      )}
      <WebhookSummary {...props} />
      <Tabs label="Views of this webhook" current={tab} tabs={tabs(path)} />
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
