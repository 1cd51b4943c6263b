import type { Credential, CredentialKind } from "../../domain/credential/credential";
import { may } from "../../domain/credential/roles";
import { listCredentials, type CredentialStateFilter } from "../../store/credentials/lists";
import type { CredentialContext } from "./credentials";

/** What ends within this needs attention. */
const soon = 14 * 24 * 60 * 60 * 1000;

interface Wanted {
  kind?: CredentialKind | undefined;
  state: CredentialStateFilter;
  /** The id of the last one of the page before. */
  before: string | null;
  limit: number;
}

/** A page of the credentials that this member may see, newest first, and where the next begins. */
export async function visibleCredentials(
  ctx: CredentialContext,
  { kind, state, before, limit }: Wanted,
): Promise<{ found: Credential[]; next: string | null }> {
  const { id, role } = ctx.member;
  const now = ctx.now();
  const memberId = may(role, "credentials") ? null : id;
  const filter = { memberId, kind, state, now, soon: now + soon };
  const found = await listCredentials(ctx.db, filter, before, limit + 1);
  const shown = found.slice(0, limit);
  return { found: shown, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
