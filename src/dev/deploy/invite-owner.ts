import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import { macLength, secretBytes, signedText } from "#domain/credential/signed-secret.ts";
import { homeName } from "#domain/bookmarks.ts";
import type { Deployment } from "./deployment.ts";
import { queryDatabase, quote } from "./query.ts";

const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Stores an invitation for the first owner and returns the path of its link. Replaces the previous one. The service
 * accepts an invitation without an inviter only while it has no member.
 */
export async function inviteFirstOwner(
  deployment: Deployment,
  email: string,
  tokenSecret: string,
): Promise<string> {
  const secret = randomBytes(secretBytes).toString("base64url");
  const hash = createHash("sha256").update(secret).digest("base64url");
  const address = email.toLowerCase();
  const now = Date.now();
  const values = [hash, address].map(quote).join(", ");
  const isEmpty = "not exists (select 1 from member)";
  const statements = [
    `delete from invitation where (inviter_id is null or email = ${quote(address)}) and ${isEmpty}`,
    `insert into invitation (hash, email, role, inviter_id, created_at, expires_at, sealed)
      select ${values}, 'owner', null, ${now}, ${now + invitationLifetimeMs}, null where ${isEmpty}`,
    `insert into audit_entry (at, actor, action, subject, request_id)
      select max(${now}, coalesce(max(at), 0)), 'system', 'member.invite',
        ${quote(`member:${address}`)}, ${quote(randomUUID())} from audit_entry`,
  ];
  await queryDatabase(deployment, homeName, statements.join("; "));
  // The first secret of the list signs.
  const signingSecret = tokenSecret.split(",")[0]?.trim() ?? "";
  const mac = createHmac("sha256", signingSecret).update(signedText("invitation", secret));
  return `/admin/join/${secret}${mac.digest("base64url").slice(0, macLength)}`;
}
