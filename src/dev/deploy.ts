import { parseDeploymentOptions } from "./deploy/options.ts";
import { hasOwner, waitUntilHealthy, migrateAndDeploy } from "./deploy/publish.ts";
import { ensureResources, loadBackup } from "./deploy/resources.ts";
import {
  createMissingSecrets,
  readSecrets,
  secretsFileOf,
  settingsFileOf,
  saveSettings,
  loadSettings,
} from "./deploy/settings.ts";

/**
 * `npm run deploy` creates missing resources at Cloudflare, sets missing secrets, migrates and deploys. Then it prints
 * the link for creating the first owner. Every step skips finished work, so another run continues after a failure.
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
ensureResources(options, settings);
if (typeof backup === "string") loadBackup(environment, backup);
const url = migrateAndDeploy(environment, settings, createMissingSecrets(environment));
const isHealthy = await waitUntilHealthy(url);
const alreadyHasOwner = hasOwner(environment);
const { SETUP_SECRET: setupSecret = "as you stored it" } = readSecrets(environment);

console.log(`
Edge Forms ${isHealthy ? "answers" : "was deployed and should respond within minutes"} at ${url}

  Administration   ${url}/admin
${alreadyHasOwner ? "" : `  Setup link       ${url}/admin/setup\n  Setup secret     ${setupSecret}\n`}  Settings         ${settingsFileOf(environment)}   keep it; contains IDs and options, no secrets
  Secrets          ${secretsFileOf(environment)}   move it to your secret store; Cloudflare never shows them again
`);
