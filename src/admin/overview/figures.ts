import type { Credential } from "../../domain/credential/credential";
import { countCalls } from "../../domain/credential/usage";
import { stamp } from "../../domain/time";
import { type readOverview } from "../../store/overview";
import type { Attended } from "./attention";

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
