import { webhookStateTones } from "#admin/webhooks/layout.tsx";
import type { Child, PropsWithChildren } from "hono/jsx";
import { Badge, type Tone } from "#html/parts.tsx";
import { formatBytes, Time, useViewer, formatDay } from "#html/viewer.tsx";
import { getOverview, type Attention as AttentionData, type Overview } from "#actions/overview.ts";
import { maxExpiringCount } from "#domain/definition/collection.ts";
import { maxDatabaseBytes } from "#domain/database-size.ts";
import type { EffectiveWebhookState } from "#domain/webhook/status.ts";
import type { FormState } from "#store/home/overview.ts";
import { formatTimestamp } from "#domain/time.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { type Catalogue, useText } from "./language/index.tsx";
import { AdminPage, type PageContext } from "./layout.tsx";
import {
  ActiveCollections,
  countActions,
  FirstStepsList,
  RecentActivity,
  WebhookHealthList,
} from "./overview-lists.tsx";
import { localize } from "./preferences.ts";
import { Plot } from "./plot.tsx";
import { Hono } from "hono";
import type { AdminEnv } from "#http/env.ts";
import { page } from "./page.ts";

function AttentionItem({
  tone,
  state,
  link: [name, href],
  children,
}: {
  tone: Tone;
  state: string;
  /** A link to the page where the member can fix the issue. */
  link: readonly [name: string, href: string];
  children?: Child;
}) {
  return (
    <li>
      <Badge tone={tone}>{state}</Badge>
      <span>{children}</span>
      <a class="button quiet little" href={href}>
        {name}
      </a>
    </li>
  );
}

const Name = ({ children }: PropsWithChildren) => (
  <>
    {useText().terms.quote(
      <strong>
        <bdi>{children}</bdi>
      </strong>,
    )}
  </>
);

function Attention({
  expiring,
  refused,
  forms,
  webhooks,
  retaining,
  databases,
  canDefine,
}: AttentionData & { canDefine: boolean }) {
  const { overview, terms } = useText();
  const { links, states, ...text } = overview.attention;
  const lists = [expiring, refused, forms, webhooks, retaining, databases];
  if (lists.every(({ length }) => length === 0)) {
    return <p class="muted">{text.nothing}</p>;
  }
  return (
    <ul class="attention">
      {databases.map((database) => (
        <LargeDatabase {...database} />
      ))}
      {refused.map(({ credential, requests, refusals }) => (
        <AttentionItem
          tone="bad"
          state={states.rejected}
          link={[links.requests, `/admin/integrations/${credential.id}?status=refused`]}
        >
          {text.rejected(<Name>{credential.name}</Name>, refusals, requests)}
        </AttentionItem>
      ))}
      {expiring.map((credential) => (
        <ExpiringCredential {...credential} />
      ))}
      {webhooks.map(({ id, name, state }) => (
        <AttentionItem
          tone={webhookStateTones[state]}
          state={terms.webhookStates[state]}
          link={[links.deliveries, `/admin/webhooks/${id}`]}
        >
          {describeWebhook(overview.attention, state, <Name>{name}</Name>)}
        </AttentionItem>
      ))}
      {forms.map((form) => (
        <AttentionItem
          tone="warn"
          state={states.form}
          link={[canDefine ? links.editForm : links.viewForm, `/admin/forms/${form.key}`]}
        >
          {describeForm(overview.attention, form)}
        </AttentionItem>
      ))}
      <RetainingForms {...{ retaining, canDefine }} />
    </ul>
  );
}

function describeWebhook(
  text: Catalogue["overview"]["attention"],
  state: EffectiveWebhookState,
  name: Child,
): Child {
  if (state === "retrying") return text.retrying(name);
  return (state === "paused" ? text.paused : text.stopped)(name);
}

function LargeDatabase({ name, bytes }: AttentionData["databases"][number]) {
  const text = useText().overview.attention;
  const viewer = useViewer();
  return (
    <AttentionItem
      tone="warn"
      state={text.states.nearlyFull}
      link={[text.links.databases, "/admin/settings/databases"]}
    >
      {text.largeDatabase(
        <Name>{name}</Name>,
        formatBytes(viewer, bytes),
        formatBytes(viewer, maxDatabaseBytes),
      )}
    </AttentionItem>
  );
}

function ExpiringCredential({ id, name, expiresAt }: AttentionData["expiring"][number]) {
  const text = useText().overview.attention;
  const hasExpired = (expiresAt ?? 0) < useViewer().now;
  const describe = hasExpired ? text.expired : text.expires;
  return (
    <AttentionItem
      tone={hasExpired ? "bad" : "warn"}
      state={hasExpired ? text.states.expired : text.states.expiring}
      link={[text.links.expiry, `/admin/integrations/${id}/access#f-expires`]}
    >
      {describe(<Name>{name}</Name>, <Time at={expiresAt ?? 0} as="distance" />)}
    </AttentionItem>
  );
}

/** The forms that will soon erase submissions. */
function RetainingForms({
  retaining,
  canDefine,
}: Pick<AttentionData, "retaining"> & { canDefine: boolean }) {
  const text = useText().overview.attention;
  const link = canDefine ? text.links.editRetention : text.links.viewRetention;
  return (
    <>
      {retaining.map(({ key, name, count }) => (
        <AttentionItem
          tone="warn"
          state={text.states.erases}
          link={[link, formPath(key, canDefine)]}
        >
          {text.erases(<Name>{name}</Name>, count, count >= maxExpiringCount)}
        </AttentionItem>
      ))}
    </>
  );
}

const formPath = (key: string, canDefine: boolean) =>
  `/admin/forms/${key}${canDefine ? "/settings" : ""}`;

function describeForm(
  text: Catalogue["overview"]["attention"],
  { name, submissionCount, maxSubmissions, closesAt }: FormState,
): Child {
  const title = <Name>{name}</Name>;
  if (maxSubmissions !== null && submissionCount >= maxSubmissions)
    return text.full(title, submissionCount, maxSubmissions);
  if (maxSubmissions !== null && submissionCount >= maxSubmissions * 0.9)
    return text.nearlyFull(title, submissionCount, maxSubmissions);
  return text.closes(title, <Time at={closesAt ?? 0} as="distance" />);
}

const overviewPage = page({
  load: ({ c, ctx }) => getOverview(ctx, localize(c).viewer.zone),
  document: (overview) => ({
    expiring: overview.expiring.map(({ id, name, expiresAt }) => ({
      id,
      name,
      expires_at: formatTimestamp(expiresAt ?? 0),
    })),
    refused: overview.refused.map(({ credential: { id, name }, refusals }) => ({
      id,
      name,
      refusals,
    })),
    forms: overview.forms,
    webhooks: overview.webhooks,
    retaining: overview.retaining,
    databases: overview.databases.map(({ name, bytes }) => ({ name, bytes })),
    activity: overview.actions.map(({ at, actor, action, itemId, title, counts, kind, key }) => ({
      at: formatTimestamp(at),
      actor,
      action,
      subject: itemId ?? `${kind}:${key}`,
      subject_name: title,
      count: countActions(counts) || 1,
      collection: `${kind}:${key}`,
    })),
    request_days: overview.requestDays,
    submission_days: overview.submissionDays,
  }),
  render(frame, overview) {
    const { member } = frame;
    const text = frame.text.overview;
    return (
      <AdminPage
        frame={frame}
        title={text.title}
        actions={
          overview.firstSteps?.credential ? null : (
            <a class="button quiet" href="/admin/integrations/new">
              {text.createCredential}
            </a>
          )
        }
      >
        <h2 class="first">{text.attention.title}</h2>
        <Attention {...overview} canDefine={roleAllows(member.role, "define")} />
        <FirstStepsList {...{ frame, steps: overview.firstSteps }} />
        <div class="columns">
          <ActiveCollections frame={frame} collections={overview.collections} />
          <RecentActivity frame={frame} overview={overview} />
        </div>
        <WebhookHealthList webhooks={overview.webhookHealth} />
        <Traffic {...{ frame, overview }} />
      </AdminPage>
    );
  },
});

function Traffic({ frame, overview }: { frame: PageContext; overview: Overview }) {
  const text = useText().overview.traffic;
  const label = (day: string) => formatDay({ ...frame.viewer, zone: "UTC" }, Date.parse(day));
  return (
    <>
      <h2>{text.title}</h2>
      <div class="columns">
        <Plot
          title={text.requests}
          describeTotal={text.requestTotal}
          bars={overview.requestDays.map(({ day, requests, refusals }) => ({
            label: label(day),
            value: requests,
            bad: refusals,
          }))}
        />
        <Plot
          title={text.submissions}
          describeTotal={text.submissionTotal}
          bars={overview.submissionDays.map(({ day, submissions }) => ({
            label: label(day),
            value: submissions,
            bad: 0,
          }))}
        />
      </div>
      <p class="muted small">{text.note(frame.viewer.zone)}</p>
    </>
  );
}

/** The overview: what needs attention, recent activity, and the traffic of the last 30 days. */
export const overviewRoutes = () => new Hono<AdminEnv>().get("/", overviewPage.show);
