import { randomBytes, randomUUID } from "node:crypto";
import { homeName } from "#domain/bookmarks.ts";
import { createPasswords } from "#domain/credential/passwords.ts";
import { openInstallation } from "./deploy/deployment.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { queryDatabase, quote } from "./deploy/query.ts";
import { stop } from "./deploy/wrangler.ts";

/**
 * `npm run owner -- --reset` gives the sole owner of a deployment a new password and ends the owner's sessions. It
 * changes the database through the Cloudflare account, so everyone who can deploy can run it. `--email` selects one of
 * several owners.
 */

const options = parseDeploymentOptions(["env", "account"], { reset: "boolean", email: "string" });
const { reset, email } = options;
if (reset !== true) stop("Run it with --reset to give an owner a new password.");
const deployment = await openInstallation(options);

interface Owner {
  id: string;
  email: string;
}

const { results: owners } = await queryDatabase<Owner>(
  deployment,
  homeName,
  "select id, email from member where role = 'owner' and disabled_at is null order by id",
);
const requestedEmail = typeof email === "string" ? email.toLowerCase() : undefined;
const candidates = owners.filter(
  (owner) => requestedEmail === undefined || owner.email === requestedEmail,
);
const [owner] = candidates;
if (!owner)
  stop(requestedEmail ? `No owner has the address ${requestedEmail}.` : "There is no owner yet.");
if (candidates.length > 1) {
  stop(`Name one owner with --email: ${candidates.map((each) => each.email).join(", ")}.`);
}

const password = randomBytes(18).toString("base64url");
const hash = await createPasswords({ bytes: randomBytes }).hash(password);
const id = quote(owner.id);
await queryDatabase(
  deployment,
  homeName,
  [
    `update member set password = ${quote(hash)}, version = version + 1 where id = ${id}`,
    `delete from session where member_id = ${id}`,
    `delete from password_reset where member_id = ${id}`,
    `insert into audit_entry (at, actor, action, subject, request_id)
      select max(${Date.now()}, coalesce(max(at), 0)), 'system', 'member.reset',
        ${quote(`member:${owner.id}`)}, ${quote(randomUUID())} from audit_entry`,
  ].join("; "),
);
console.log(`New password of ${owner.email}: ${password}`);
console.log(
  "Sign in with it, then change it under “Your account”. All sessions of this owner have ended.",
);
