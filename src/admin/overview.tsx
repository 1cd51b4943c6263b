import { Hono } from "hono";
import type { Credential } from "../domain/credential/credential";
import { may } from "../domain/credential/permissions";
import { countCalls } from "../domain/credential/usage";
import { stamp } from "../domain/time";
import type { AdminEnv } from "../env";
import { showDay } from "../html/reader";
import { readOverview } from "../store/overview";
import { Attention, type Attended } from "./attention";
import { answer } from "./frame/answers";
import { frameOf, type Frame } from "./frame/frame";
import { AdminPage } from "./frame/layout";
import { Plot } from "./plot";

const day = 24 * 60 * 60 * 1000;
const soon = 14 * day;
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

interface Figures extends Attended {
  /** UTC, as in 2026-11-21; the last one is today. */
  days: { day: string; requests: number; refusals: number; submissions: number }[];
}

function figuresOf(
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

function OverviewPage({ frame, days, ...attention }: Figures & { frame: Frame }) {
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
      <Attention {...attention} define={may(member.role, "define")} />
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
