import { webhookStateBadges } from "#admin/webhooks/layout.tsx";
import type { Child } from "hono/jsx";
import { Badge, type Tone } from "#html/parts.tsx";
import {
  formatBytes,
  formatCount,
  formatQuantity,
  Time,
  useViewer,
  formatDay,
} from "#html/viewer.tsx";
import { getOverview, type Attention as AttentionData, type Overview } from "#actions/overview.ts";
import { maxExpiringCount } from "#domain/definition/collection.ts";
import { maxDatabaseBytes } from "#domain/database-size.ts";
import type { FormState } from "#store/home/overview.ts";
import { formatTimestamp } from "#domain/time.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { AdminPage, type PageContext } from "./layout.tsx";
import {
  ActiveCollections,
  FirstStepsList,
  RecentActivity,
  WebhookHealthList,
} from "./overview-lists.tsx";
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
  /** A link to the page where the member can fix it. */
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

function Attention({
  expiring,
  refused,
  forms,
  webhooks,
  retaining,
  databases,
  canDefine,
}: AttentionData & { canDefine: boolean }) {
  const { now } = useViewer();
  const lists = [expiring, refused, forms, webhooks, retaining, databases];
  if (lists.every(({ length }) => length === 0)) {
    return <p class="muted">You’re all caught up.</p>;
  }
  return (
    <ul class="attention">
      <LargeDatabases databases={databases} />
      {refused.map(({ credential, requests, refusals }) => (
        <AttentionItem
          tone="bad"
          state="Rejected"
          link={["View requests", `/admin/integrations/${credential.id}?status=refused`]}
        >
          <strong>
            <bdi>{credential.name}</bdi>
          </strong>
          : {formatCount(refusals)} of {formatQuantity(requests, "request")} rejected in the last 24
          hours.
        </AttentionItem>
      ))}
      {expiring.map(({ id, name, expiresAt }) => (
        <AttentionItem
          tone={(expiresAt ?? 0) < now ? "bad" : "warn"}
          state={(expiresAt ?? 0) < now ? "Expired" : "Expires soon"}
          link={["Extend expiry", `/admin/integrations/${id}/access#f-expires`]}
        >
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          {(expiresAt ?? 0) < now ? "expired" : "expires"}{" "}
          <Time at={expiresAt ?? 0} as="distance" />.
        </AttentionItem>
      ))}
      {webhooks.map(({ id, name, state }) => (
        <AttentionItem
          tone={webhookStateBadges[state][1]}
          state={webhookStateBadges[state][0]}
          link={["View deliveries", `/admin/webhooks/${id}`]}
        >
          Webhook{" "}
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          {state === "retrying"
            ? "is retrying a failed event. Later events are queued."
            : "sends nothing until you resume it."}
        </AttentionItem>
      ))}
      {forms.map((form) => (
        <AttentionItem
          tone="warn"
          state="Form"
          link={[canDefine ? "Edit form" : "View form", `/admin/forms/${form.key}`]}
        >
          <strong>
            <bdi>{form.name}</bdi>
          </strong>{" "}
          {describeForm(form)}.
        </AttentionItem>
      ))}
      <RetainingForms {...{ retaining, canDefine }} />
    </ul>
  );
}

/** The databases that are nearly full. */
function LargeDatabases({ databases }: Pick<AttentionData, "databases">) {
  return (
    <>
      {databases.map(({ name, bytes }) => (
        <AttentionItem
          tone="warn"
          state="Nearly full"
          link={["View databases", "/admin/settings/databases"]}
        >
          Database <strong>{name}</strong> holds {formatBytes(bytes)} of{" "}
          {formatBytes(maxDatabaseBytes)}.
        </AttentionItem>
      ))}
    </>
  );
}

/** The forms that erase submissions soon. */
function RetainingForms({
  retaining,
  canDefine,
}: Pick<AttentionData, "retaining"> & { canDefine: boolean }) {
  return (
    <>
      {retaining.map(({ key, name, count }) => (
        <AttentionItem
          tone="warn"
          state="Erases"
          link={[canDefine ? "Change how long it keeps" : "Look at it", formPath(key, canDefine)]}
        >
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          erases {count >= maxExpiringCount ? "at least " : ""}
          {formatCount(count)} {count === 1 ? "submission" : "submissions"} within 7 days.
        </AttentionItem>
      ))}
    </>
  );
}

const formPath = (key: string, canDefine: boolean) =>
  `/admin/forms/${key}${canDefine ? "/settings" : ""}`;

function describeForm({ submissionCount, maxSubmissions, closesAt }: FormState) {
  if (maxSubmissions !== null && submissionCount >= maxSubmissions)
    return `is full: ${formatCount(submissionCount)} of ${formatQuantity(maxSubmissions, "submission")}`;
  if (maxSubmissions !== null && submissionCount >= maxSubmissions * 0.9)
    return `is nearly full: ${formatCount(submissionCount)} of ${formatQuantity(maxSubmissions, "submission")}`;
  return (
    <>
      closes <Time at={closesAt ?? 0} as="distance" />
    </>
  );
}

const overviewPage = page({
  load: ({ ctx }) => getOverview(ctx),
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
    activity: overview.actions.map(({ at, actor, action, itemId, kind, key }) => ({
      at: formatTimestamp(at),
      actor,
      action,
      subject: itemId ?? `${kind}:${key}`,
      collection: `${kind}:${key}`,
    })),
    days: overview.days,
  }),
  render(frame, { days, ...overview }) {
    const { member } = frame;
    return (
      <AdminPage
        frame={frame}
        title="Overview"
        actions={
          overview.firstSteps?.credential ? null : (
            <a class="button quiet" href="/admin/integrations/new">
              {" "}
              Create credential{" "}
            </a>
          )
        }
      >
        <FirstStepsList {...{ frame, steps: overview.firstSteps }} />
        <h2 class="first">Needs attention</h2>
        <Attention {...overview} canDefine={roleAllows(member.role, "define")} />
        <div class="columns">
          <ActiveCollections frame={frame} collections={overview.collections} />
          <RecentActivity frame={frame} overview={overview} />
        </div>
        <WebhookHealthList webhooks={overview.webhookHealth} />
        <Traffic frame={frame} days={days} />
      </AdminPage>
    );
  },
});

function Traffic({ frame, days }: { frame: PageContext; days: Overview["days"] }) {
  const label = (day: string) => formatDay({ ...frame.viewer, zone: "UTC" }, Date.parse(day));
  return (
    <>
      <h2>Last 30 days</h2>
      <div class="columns">
        <Plot
          title="Requests"
          noun={["in total", "in total"]}
          bars={days.map(({ day, requests, refusals }) => ({
            label: label(day),
            value: requests,
            bad: refusals,
          }))}
        />
        <Plot
          title="Submissions"
          noun={["in all forms", "in all forms"]}
          bars={days.map(({ day, submissions }) => ({
            label: label(day),
            value: submissions,
            bad: 0,
          }))}
        />
      </div>
      <p class="muted small">Days end at midnight UTC. Requests appear within a minute.</p>
    </>
  );
}

/** The overview: what needs attention, recent activity, and the traffic of the last 30 days. */
export const overviewRoutes = () => new Hono<AdminEnv>().get("/", overviewPage.show);
