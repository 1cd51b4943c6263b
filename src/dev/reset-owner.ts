import { randomBytes, randomUUID } from "node:crypto";
import { createPasswords } from "#domain/credential/passwords.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { settingsFileOf, isAssignedId, loadSettings } from "./deploy/settings.ts";
import { queryWrangler, stop } from "./deploy/wrangler.ts";

/**
 * `npm run owner -- --reset` gives the sole owner of a deployment a new password and ends the owner's sessions. It changes
 * the database through the Cloudflare account, so everyone who can deploy can run it. `--email` names one of several owners.
 */

const { environment, reset, email } = parseDeploymentOptions(["env"], {
  reset: "boolean",
  email: "string",
});
if (reset !== true) stop("Run it with --reset to give an owner a new password.");
const settings = loadSettings({ environment });
if (settings.d1_databases.some(({ database_id: id }) => !isAssignedId(id))) {
  stop(`${settingsFileOf(environment)} names no database. Run \`npm run deploy\` first.`);
}

interface Owner {
  id: string;
  email: string;
}

function execute<Row>(sql: string): Row[] {
  const command = ["d1", "execute", "DB", "--remote", "--json", "--yes", `--command=${sql}`];
  const results = queryWrangler<{ results: Row[] }[]>([
    ...command,
    "--config",
    settingsFileOf(environment),
  ]);
  return results?.at(-1)?.results ?? [];
}

const owners = execute<Owner>(
  "select id, email from member where role = 'owner' and disabled_at is null order by id",
);
const wanted = typeof email === "string" ? email.toLowerCase() : undefined;
const candidates = owners.filter((owner) => wanted === undefined || owner.email === wanted);
const [owner] = candidates;
if (!owner) stop(wanted ? `No owner has the address ${wanted}.` : "There is no owner yet.");
if (candidates.length > 1) {
  stop(`Name one owner with --email: ${candidates.map((each) => each.email).join(", ")}.`);
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const password = randomBytes(18).toString("base64url");
const hash = await createPasswords({ bytes: randomBytes }).hash(password);
const id = quoted(owner.id);
execute(
  [
    `update member set password = ${quoted(hash)}, version = version + 1 where id = ${id}`,
    `delete from session where member_id = ${id}`,
    `delete from password_reset where member_id = ${id}`,
    `insert into audit_entry (at, actor, action, subject, request_id)
      select max(${Date.now()}, coalesce(max(at), 0)), 'system', 'member.reset',
        ${quoted(`member:${owner.id}`)}, ${quoted(randomUUID())} from audit_entry`,
  ].join("; "),
);
console.log(`New password of ${owner.email}: ${password}`);
console.log(
  "Sign in with it, then change it under “Account”. All sessions of this owner have ended.",
);
