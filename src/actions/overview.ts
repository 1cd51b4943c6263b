import { type Credential, countCalls } from "#domain/credential/credential.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { formatTimestamp } from "#domain/time.ts";
import {
  loadOverview,
  type FormState,
  type RetainingForm,
  type TroubledWebhook,
} from "#store/home/overview.ts";
import type { MemberContext } from "./members.ts";

/** The things that need attention. */
export interface Attention {
  expiring: Credential[];
  refused: { credential: Credential; requests: number; refusals: number }[];
  forms: FormState[];
  webhooks: TroubledWebhook[];
  /** The forms whose `retain` erases submissions within a week. */
  retaining: RetainingForm[];
}

export interface Overview extends Attention {
  /** UTC, as in 2026-11-21; the last one is today. */
  days: { day: string; requests: number; refusals: number; submissions: number }[];
}

const dayMs = 24 * 60 * 60 * 1000;
const warningPeriodMs = 14 * dayMs;
const erasurePeriodMs = 7 * dayMs;
const overviewDays = 30;

/** Returns what needs the member's attention, and the traffic of the last 30 days. */
export async function getOverview(ctx: MemberContext): Promise<Overview> {
  const { id, role } = ctx.member;
  const now = ctx.now();
  const tomorrow = (Math.floor(now / dayMs) + 1) * dayMs;
  const times = Array.from(
    { length: overviewDays + 1 },
    (_, i) => tomorrow - (overviewDays - i) * dayMs,
  );
  const memberId = roleAllows(role, "credentials") ? null : id;
  const { credentials, forms, retaining, submissions, webhooks } = await loadOverview(
    ctx.databases,
    {
      memberId,
      now,
      soonUntil: now + warningPeriodMs,
      erasedUntil: now + erasurePeriodMs,
      times,
    },
  );
  const credentialsInUse = credentials.filter(({ revokedAt }) => revokedAt === null);
  return {
    expiring: credentialsInUse.filter(
      ({ expiresAt }) => expiresAt !== null && expiresAt < now + warningPeriodMs,
    ),
    refused: credentialsInUse
      .map((credential) => ({ credential, ...countCalls(credential.usage, "hours", now - dayMs) }))
      .filter(({ refusals }) => refusals > 0),
    forms,
    retaining,
    webhooks: roleAllows(role, "webhooks") ? webhooks : [],
    days: times.slice(0, -1).map((from, i) => ({
      day: formatTimestamp(from).slice(0, 10),
      ...sumCalls(credentials, from),
      submissions: submissions[i] ?? 0,
    })),
  };
}

/** The calls of all credentials on one day. */
function sumCalls(credentials: readonly Credential[], from: number) {
  const counts = credentials.map(({ usage }) => countCalls(usage, "days", from, from + dayMs));
  return {
    requests: counts.reduce((sum, { requests }) => sum + requests, 0),
    refusals: counts.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}
