import { parseDeploymentOptions } from "./deploy/options.ts";
import { waitUntilHealthy, migrateAndDeploy } from "./deploy/publish.ts";
import { requirePaidPlan } from "./deploy/plan.ts";
import { ensureResources, loadBackup } from "./deploy/resources.ts";
import {
  createMissingSecrets,
  findDeployedSecrets,
  isRunner,
  readSecrets,
  secretsFileOf,
  settingsFileOf,
  saveSettings,
  loadSettings,
} from "./deploy/settings.ts";

/**
 * `npm run deploy` creates missing resources at Cloudflare, sets missing secrets, migrates and deploys. Then it prints
 * the link for creating the first owner. Every step skips finished work, so another run continues after a failure. On a
 * runner of CI it asks nothing, prints no secret, and needs no file of an earlier run.
 */

const options = parseDeploymentOptions(
  ["env", "location", "jurisdiction", "domain", "contact", "account"],
  {
    from: "string",
  },
);
const { environment, from: backup } = options;
const settings = loadSettings(options);
saveSettings(environment, settings);
const deployedSecrets = findDeployedSecrets(environment);
if (deployedSecrets === undefined) requirePaidPlan(settings);
ensureResources(options, settings);
if (typeof backup === "string") loadBackup(environment, backup);
const { url, hasOwner } = migrateAndDeploy(
  environment,
  settings,
  createMissingSecrets(environment, deployedSecrets),
);
const isHealthy = await waitUntilHealthy(url);
const { SETUP_SECRET: setupSecret = "as you stored it" } = readSecrets(environment);
const shownSecret = isRunner()
  ? "the Worker's SETUP_SECRET. Change it in the dashboard if you do not know it"
  : setupSecret;
const setupLines = `  Setup link       ${url}/admin/setup\n  Setup secret     ${shownSecret}\n`;
const fileLines = `  Settings         ${settingsFileOf(environment)}   keep it; contains IDs and options, no secrets
  Secrets          ${secretsFileOf(environment)}   move it to your secret store; Cloudflare never shows them again
`;

console.log(`
Edge Forms ${isHealthy ? "answers" : "was deployed and should respond within minutes"} at ${url}

  Administration   ${url}/admin
${hasOwner ? "" : setupLines}${isRunner() ? "" : fileLines}`);
