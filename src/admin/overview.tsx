import type { Child } from "hono/jsx";
import { Badge, type Tone, Empty } from "#html/parts.tsx";
import { type Credential, countCalls } from "#domain/credential/credential.ts";
import { showCount, Time, useReader, showDay } from "#html/viewer.tsx";
import { type FormState, type StoppedWebhook, readOverview } from "#store/home/overview.ts";
import { stamp } from "#domain/time.ts";
import { may } from "#domain/credential/permissions.ts";
import { type Frame, AdminPage, frameOf } from "./layout.tsx";
import { Plot } from "./plot.tsx";
import { Hono } from "hono";
import type { AdminEnv } from "#http/env.ts";
import { answer } from "./page.ts";

export function Entry({
  tone,
  state,
  act: [name, href],
  children,
}: {
  tone: Tone;
  state: string;
  /** The way to what mends it. */
  act: readonly [name: string, href: string];
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

/** Where nothing needs attention; with `begins`, what somebody does first. */
export function NothingWrong({ begins }: { begins: boolean }) {
  return (
    <Empty>
      <p>
        Nothing at the moment. Refused calls, credentials that expire, forms that fill up and
        webhooks that fail stand here.
      </p>
      {begins ? (
        <>
          <p>Begin with a form, for what people send, or an app, for records of other systems.</p>
          <p class="actions">
            <a class="button" href="/admin/forms?new">
              New form
            </a>
            <a class="button quiet" href="/admin/apps?new">
              New app
            </a>
          </p>
        </>
      ) : null}
    </Empty>
  );
}

/** What somebody should look at. */
export interface Attended {
  expiring: Credential[];
  refused: { credential: Credential; requests: number; refusals: number }[];
  forms: FormState[];
  webhooks: StoppedWebhook[];
}

export function Attention({
  expiring,
  refused,
  forms,
  webhooks,
  define,
  isNew,
}: Attended & {
  define: boolean;
  /** Nothing was asked or made lately. */
  isNew: boolean;
}) {
  const { now } = useReader();
  if (expiring.length + refused.length + forms.length + webhooks.length === 0) {
    return <NothingWrong begins={isNew && define} />;
  }
  return (
    <ul class="attention">
      {refused.map(({ credential, requests, refusals }) => (
        <Entry
          tone="bad"
          state="Refused"
          act={["See why", `/admin/integrations/${credential.id}?status=refused`]}
        >
          <strong>
            <bdi>{credential.name}</bdi>
          </strong>
          : {showCount(refusals)} of {showCount(requests)} requests were refused in 24 hours.
        </Entry>
      ))}
      {expiring.map(({ id, name, expiresAt }) => (
        <Entry
          tone={(expiresAt ?? 0) < now ? "bad" : "warn"}
          state={(expiresAt ?? 0) < now ? "Expired" : "Expires soon"}
          act={["Extend it", `/admin/integrations/${id}/access#f-expires`]}
        >
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          {(expiresAt ?? 0) < now ? "expired" : "expires"}{" "}
          <Time at={expiresAt ?? 0} as="distance" />.
        </Entry>
      ))}
      {webhooks.map(({ id, name, state }) => (
        <Entry
          tone="bad"
          state={state === "failing" ? "Failing" : "Disabled"}
          act={["See why", `/admin/webhooks/${id}`]}
        >
          The webhook{" "}
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          tells nothing until it is resumed.
        </Entry>
      ))}
      {forms.map((form) => (
        <Entry
          tone="warn"
          state="Form"
          act={[define ? "Change when it closes" : "Look at it", `/admin/forms/${form.key}`]}
        >
          <strong>
            <bdi>{form.name}</bdi>
          </strong>{" "}
          {formState(form)}.
        </Entry>
      ))}
    </ul>
  );
}

function formState({ live, maxSubmissions, closesAt }: FormState) {
  if (maxSubmissions !== null && live >= maxSubmissions)
    return `is full: ${showCount(live)} of ${showCount(maxSubmissions)}`;
  if (maxSubmissions !== null && live >= maxSubmissions * 0.9)
    return `is nearly full: ${showCount(live)} of ${showCount(maxSubmissions)}`;
  return (
    <>
      closes <Time at={closesAt ?? 0} as="distance" />
    </>
  );
}

export const day = 24 * 60 * 60 * 1000;
export const soon = 14 * day;

export interface Figures extends Attended {
  /** UTC, as in 2026-11-21; the last one is today. */
  days: { day: string; requests: number; refusals: number; submissions: number }[];
}

export function figuresOf(
  { credentials, forms, submissions, webhooks }: Awaited<ReturnType<typeof readOverview>>,
  times: readonly number[],
  now: number,
): Figures {
  const live = credentials.filter(({ revokedAt }) => revokedAt === null);
  return {
    expiring: live.filter(({ expiresAt }) => expiresAt !== null && expiresAt < now + soon),
    refused: live
      .map((credential) => ({ credential, ...countCalls(credential.usage, "hours", now - day) }))
      .filter(({ refusals }) => refusals > 0),
    forms,
    webhooks,
    days: times.slice(0, -1).map((from, i) => ({
      day: stamp(from).slice(0, 10),
      ...callsOf(credentials, from),
      submissions: submissions[i] ?? 0,
    })),
  };
}

/** The calls of one day, of all credentials. */
function callsOf(credentials: readonly Credential[], from: number) {
  const counted = credentials.map(({ usage }) => countCalls(usage, "days", from, from + day));
  return {
    requests: counted.reduce((sum, { requests }) => sum + requests, 0),
    refusals: counted.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}

export function OverviewPage({ frame, days, ...attention }: Figures & { frame: Frame }) {
  const { reader, member } = frame;
  const label = (each: string) => showDay({ ...reader, zone: "UTC" }, Date.parse(each));
  return (
    <AdminPage
      frame={frame}
      title="Overview"
      acts={
        <a class="button quiet" href="/admin/integrations/new">
          Issue credential
        </a>
      }
    >
      <h2 class="first">Needs attention</h2>
      <Attention
        {...attention}
        define={may(member.role, "define")}
        isNew={days.every(({ requests, submissions }) => requests + submissions === 0)}
      />
      <h2>The last 30 days</h2>
      <div class="columns">
        <Plot
          title="Requests"
          noun={["call", "calls"]}
          bars={days.map((each) => ({
            label: label(each.day),
            value: each.requests,
            bad: each.refusals,
          }))}
        />
        <Plot
          title="Submissions"
          noun={["made in all forms", "made in all forms"]}
          bars={days.map((each) => ({ label: label(each.day), value: each.submissions, bad: 0 }))}
        />
      </div>
      <p class="muted small">Days end at midnight UTC; calls are counted within a minute.</p>
    </AdminPage>
  );
}

const shownDays = 30;

/** What needs attention, and how it went lately. */
export const overview = new Hono<AdminEnv>().get("/", async (c) => {
  const { id, role } = c.var.member;
  const now = Date.now();
  const tomorrow = (Math.floor(now / day) + 1) * day;
  const times = Array.from({ length: shownDays + 1 }, (_, i) => tomorrow - (shownDays - i) * day);
  const memberId = may(role, "credentials") ? null : id;
  const read = await readOverview(c.env.DB, { memberId, now, soon: now + soon, times });
  const webhooks = may(role, "webhooks") ? read.webhooks : [];
  const figures = figuresOf({ ...read, webhooks }, times, now);
  const document = {
    expiring: figures.expiring.map((each) => ({
      id: each.id,
      name: each.name,
      expires_at: stamp(each.expiresAt ?? 0),
    })),
    refused: figures.refused.map(({ credential, refusals }) => ({
      id: credential.id,
      name: credential.name,
      refusals,
    })),
    forms: figures.forms,
    webhooks,
    days: figures.days,
  };
  return answer(c, document, () => <OverviewPage frame={frameOf(c)} {...figures} />);
});
