import { type Credential, countCalls } from "#domain/credential/credential.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { addDays, dayInZone, endOfDayMs } from "#domain/time.ts";
import {
  loadOverview,
  type FormState,
  type RetainingForm,
  type WebhookHealth,
} from "#store/home/overview.ts";
import { maxDatabaseBytes, warningShare } from "#domain/database-size.ts";
import type { DatabaseReport } from "#store/home/database-reports.ts";
import type { ActiveCollection, RecentAction } from "#store/data/recent-activity.ts";
import { demoCredentialNames, demoKeys } from "#domain/demo.ts";
import type { MemberContext } from "./members.ts";

/** The things that need attention. */
export interface Attention {
  expiring: Credential[];
  refused: { credential: Credential; requests: number; refusals: number }[];
  forms: FormState[];
  /** Webhooks that send late or not at all, including paused ones. */
  webhooks: WebhookHealth[];
  /** Forms whose retention rule erases submissions within a week. */
  retaining: RetainingForm[];
  /** The databases that are nearly full. */
  databases: DatabaseReport[];
}

/** The first steps that a new installation has not taken yet. */
export interface FirstSteps {
  form: boolean;
  credential: boolean;
  colleague: boolean;
}

export interface Overview extends Attention {
  /** Null for an installation in use. */
  firstSteps: FirstSteps | null;
  /** The health of all webhooks. Empty for members who may not see webhooks. */
  webhookHealth: WebhookHealth[];
  /** The newest actions on items and definitions. */
  actions: RecentAction[];
  /** The apps and forms with the newest items. */
  collections: ActiveCollection[];
  /** Names of members and credentials by actor. */
  names: ReadonlyMap<string, string>;
  /** Requests are counted by UTC day, like 2026-11-21. The last day is today. */
  requestDays: { day: string; requests: number; refusals: number }[];
  /** Submissions are counted by day in the member's time zone. */
  submissionDays: { day: string; submissions: number }[];
}

const dayMs = 24 * 60 * 60 * 1000;
const warningPeriodMs = 14 * dayMs;
const erasurePeriodMs = 7 * dayMs;
const overviewDays = 30;

/** Returns what needs the member's attention, and the traffic of the last 30 days. */
export async function getOverview(ctx: MemberContext, zone: string): Promise<Overview> {
  const { id, role } = ctx.member;
  const now = ctx.now();
  const days = daysUntil(dayInZone(now, "UTC"));
  const localDays = daysUntil(dayInZone(now, zone));
  const ends = localDays.map((day) => endOfDayMs(day, zone) ?? 0);
  const memberId = roleAllows(role, "credentials") ? null : id;
  const loaded = await loadOverview(ctx.databases, {
    memberId,
    now,
    soonUntil: now + warningPeriodMs,
    erasedUntil: now + erasurePeriodMs,
    large: { minBytes: maxDatabaseBytes * warningShare, since: now - dayMs },
    times: ends,
  });
  const { forms, retaining, submissions, actions, collections, members } = loaded;
  const credentials = await ctx.withCurrentUse(loaded.credentials);
  const webhooks = roleAllows(role, "webhooks") ? loaded.webhooks : [];
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
    webhooks: webhooks.filter(({ state }) => state !== "active"),
    databases: roleAllows(role, "databases") ? loaded.largeDatabases : [],
    webhookHealth: webhooks,
    actions,
    collections,
    names: new Map([
      ...members.map((each) => [`member:${each.id}`, each.name] as const),
      ...credentials.map((each) => [`credential:${each.id}`, each.name] as const),
    ]),
    firstSteps: roleAllows(role, "define") ? findFirstSteps(loaded, now) : null,
    requestDays: days.slice(1).map((day) => ({
      day,
      ...sumCalls(credentials, Date.parse(`${day}T00:00:00Z`)),
    })),
    submissionDays: localDays.slice(1).map((day, i) => ({ day, submissions: submissions[i] ?? 0 })),
  };
}

/** The days of the charts, and the day before them. */
const daysUntil = (today: string) =>
  Array.from({ length: overviewDays + 1 }, (_, i) => addDays(today, i - overviewDays));

const newPeriodMs = 30 * dayMs;

/**
 * Returns the first steps that are missing, not counting examples. Applies until the installation has a form of its
 * own, and in its first 30 days.
 */
function findFirstSteps(
  {
    members,
    credentials,
    collections,
  }: Pick<Awaited<ReturnType<typeof loadOverview>>, "members" | "credentials" | "collections">,
  now: number,
): FirstSteps | null {
  const steps = {
    form: !collections.some(({ key }) => !demoKeys.has(key)),
    credential: !credentials.some(({ name }) => !demoCredentialNames.has(name)),
    colleague: members.length < 2,
  };
  const isNew = steps.form || (members[0]?.createdAt ?? 0) > now - newPeriodMs;
  return isNew && Object.values(steps).includes(true) ? steps : null;
}

/** Sums the calls of all credentials on one day. */
function sumCalls(credentials: readonly Credential[], from: number) {
  const counts = credentials.map(({ usage }) => countCalls(usage, "days", from, from + dayMs));
  return {
    requests: counts.reduce((sum, { requests }) => sum + requests, 0),
    refusals: counts.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}
