import { homeName } from "#domain/bookmarks.ts";
import { hasHome, openDeployment } from "./deploy/deployment.ts";
import { inviteFirstOwner } from "./deploy/invite-owner.ts";
import { findBackup } from "./deploy/backup-files.ts";
import { finishLoad, loadBackup, prepareLoad } from "./deploy/load-backup.ts";
import { requireNoPartialLoad } from "./deploy/load-steps.ts";
import { hasMigrations } from "./deploy/migrate.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { requireCompleteAccess, requirePaidPlan, usesAccess } from "./deploy/plan.ts";
import {
  migrateAndDeploy,
  requireNothingRestored,
  requireRunning,
  waitUntilHealthy,
} from "./deploy/publish.ts";
import { ensureResources } from "./deploy/resources.ts";
import {
  createMissingSecrets,
  findDeployedSecrets,
  isRunner,
  readSecrets,
  secretsFileOf,
} from "./deploy/secrets.ts";
import { settingsFileOf } from "./deploy/settings.ts";
import { stop } from "./deploy/wrangler.ts";

/**
 * `npm run deploy` reads the state of the environment, creates missing resources, sets missing secrets, migrates and
 * deploys. Then it prints the link for creating the first owner. Every step skips finished work, so repeating the
 * command after a failure continues it. On a CI runner, it asks nothing, prints no secret, and needs no file of an
 * earlier run.
 */

const ownerVariable = process.env["OWNER_EMAIL"];
const options = parseDeploymentOptions(
  ["env", "location", "jurisdiction", "domain", "contact", "account", "owner"],
  { from: "string", "allow-loss": "boolean", resume: "boolean" },
  [...(ownerVariable ? [`--owner=${ownerVariable}`] : []), ...process.argv.slice(2)],
);
const { environment, from } = options;
const backup = typeof from === "string" ? await findBackup(from) : undefined;
const deployment = await openDeployment(options);
requireCompleteAccess(deployment);
if (options.resume) requireNothingRestored(deployment);
else requireRunning(deployment);
if (backup) await prepareLoad(deployment, backup, options);
else if (hasHome(deployment)) await requireNoPartialLoad(deployment);
const isNew = !hasHome(deployment) || !(await hasMigrations(deployment, homeName));
if (isNew) await requirePaidPlan(deployment);
await ensureResources(deployment, options);
if (backup) await loadBackup(deployment, backup, { allowsLoss: options["allow-loss"] === true });
const secrets = createMissingSecrets(environment, await findDeployedSecrets(deployment));
const { url, hasOwner } = await migrateAndDeploy(deployment, secrets);
const isHealthy = await waitUntilHealthy(url);
if (backup) {
  if (!isHealthy)
    stop(
      "The service is not healthy, so it does not use its databases for new apps and forms yet. Run this again.",
    );
  await finishLoad(deployment);
}
const { SETUP_SECRET: setupSecret = "as you stored it", TOKEN_SECRET: storedTokenSecret } =
  readSecrets(environment);
const shownSecret = isRunner()
  ? "the Worker's SETUP_SECRET. Change it in the dashboard if you do not know it"
  : setupSecret;
const setupLines = `  Setup link       ${url}/admin/setup\n  Setup secret     ${shownSecret}\n`;
const nextStep = usesAccess(deployment.settings)
  ? "\nNext: open the setup link, and enter the setup secret and the email address that Cloudflare Access signs in.\n"
  : "\nNext: open the setup link, and enter the setup secret, your email address and a password.\n";
const ownerEmail = options.owner;
const tokenSecret = process.env["TOKEN_SECRET"] || storedTokenSecret;

/** Invites the first owner. A runner does not print the link, because other people can read its log. */
async function inviteOwner(): Promise<string> {
  if (!ownerEmail) return "";
  if (isRunner()) {
    return `\n  To invite ${ownerEmail}, run this command on your machine with OWNER_EMAIL and TOKEN_SECRET.\n`;
  }
  if (!tokenSecret) {
    return `\n  No invitation for ${ownerEmail}: set TOKEN_SECRET to the Worker's secret, and run this again.\n`;
  }
  const path = await inviteFirstOwner(deployment, ownerEmail, tokenSecret);
  return `  Invitation       ${url}${path}\n                   makes ${ownerEmail} the first owner, once, within 7 days\n`;
}

const invitationLines = hasOwner ? "" : await inviteOwner();
const fileLines = `  Settings         ${settingsFileOf(environment)}   contains IDs and options, no secrets; can be recreated
  Secrets          ${secretsFileOf(environment)}   store it in your secret manager; Cloudflare never shows them again
`;

console.log(`
Edge Forms ${isHealthy ? "answers" : "was deployed and should respond within minutes"} at ${url}

  Administration   ${url}/admin
${hasOwner ? "" : setupLines}${invitationLines}${isRunner() ? "" : fileLines}${hasOwner ? "" : nextStep}`);
