import type {
  Credential,
  CredentialKind,
  CredentialStateFilter,
} from "#domain/credential/credential.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { listCredentials } from "#store/home/credential-lists.ts";
import type { CredentialContext } from "./credentials.ts";

/** A credential that expires within this time needs attention. */
const expiringSoonMs = 14 * 24 * 60 * 60 * 1000;

interface CredentialQuery {
  kind?: CredentialKind | undefined;
  state: CredentialStateFilter;
  /** The id of the last credential on the previous page. */
  before: string | null;
  limit: number;
}

/** Returns a page of the credentials that this member can see, newest first, and the position of the next page. */
export async function listVisibleCredentials(
  ctx: CredentialContext,
  { kind, state, before, limit }: CredentialQuery,
): Promise<{ credentials: Credential[]; next: string | null }> {
  const { id, role } = ctx.member;
  const now = ctx.now();
  const memberId = roleAllows(role, "credentials") ? null : id;
  const filter = { memberId, kind, state, now, soonUntil: now + expiringSoonMs };
  const rows = await listCredentials(ctx.databases.home, filter, before, limit + 1);
  const page = await ctx.withCurrentUse(rows.slice(0, limit));
  return { credentials: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}
