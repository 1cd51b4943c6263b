import { webhookStateBadges } from "#admin/webhooks/layout.tsx";
import type { Child } from "hono/jsx";
import { Badge, type Tone, EmptyState } from "#html/parts.tsx";
import { formatCount, formatQuantity, Time, useViewer, formatDay } from "#html/viewer.tsx";
import { getOverview, type Attention as AttentionData } from "#actions/overview.ts";
import { maxExpiringCount } from "#domain/definition/collection.ts";
import type { FormState } from "#store/home/overview.ts";
import { formatTimestamp } from "#domain/time.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { AdminPage } from "./layout.tsx";
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

/** Shown when nothing needs attention. With `showFirstSteps`, it also suggests what to create first. */
function NoAttentionNeeded({ showFirstSteps }: { showFirstSteps: boolean }) {
  return (
    <EmptyState>
      <p>You’re all caught up.</p>
      {showFirstSteps ? (
        <>
          <p>Create a form to collect submissions, or an app to store records.</p>
          <p class="actions">
            <a class="button" href="/admin/forms?new">
              {" "}
              Create form{" "}
            </a>
            <a class="button quiet" href="/admin/apps?new">
              {" "}
              Create app{" "}
            </a>
          </p>
        </>
      ) : null}
    </EmptyState>
  );
}

function Attention({
  expiring,
  refused,
  forms,
  webhooks,
  retaining,
  canDefine,
  isNew,
}: AttentionData & {
  canDefine: boolean;
  /** Whether the service had no requests and no submissions lately. */
  isNew: boolean;
}) {
  const { now } = useViewer();
  const lists = [expiring, refused, forms, webhooks, retaining];
  if (lists.every(({ length }) => length === 0)) {
    return <NoAttentionNeeded showFirstSteps={isNew && canDefine} />;
  }
  return (
    <ul class="attention">
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
  document: ({ expiring, refused, forms, webhooks, retaining, days }) => ({
    expiring: expiring.map(({ id, name, expiresAt }) => ({
      id,
      name,
      expires_at: formatTimestamp(expiresAt ?? 0),
    })),
    refused: refused.map(({ credential: { id, name }, refusals }) => ({ id, name, refusals })),
    forms,
    webhooks,
    retaining,
    days,
  }),
  render(frame, { days, ...attention }) {
    const { viewer, member } = frame;
    const label = (day: string) => formatDay({ ...viewer, zone: "UTC" }, Date.parse(day));
    return (
      <AdminPage
        frame={frame}
        title="Overview"
        actions={
          <a class="button quiet" href="/admin/integrations/new">
            {" "}
            Create credential{" "}
          </a>
        }
      >
        <h2 class="first">Needs attention</h2>
        <Attention
          {...attention}
          canDefine={roleAllows(member.role, "define")}
          isNew={days.every(({ requests, submissions }) => requests + submissions === 0)}
        />
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
      </AdminPage>
    );
  },
});

/** The overview: what needs attention, and the traffic of the last 30 days. */
export const overviewRoutes = () => new Hono<AdminEnv>().get("/", overviewPage.show);
