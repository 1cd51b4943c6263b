import { optionsOf } from "./deploy/options.ts";
import { hasOwner, healthy, publish } from "./deploy/publish.ts";
import { ensureResources, fill } from "./deploy/resources.ts";
import {
  missingSecrets,
  readSecrets,
  secretsFileOf,
  fileOf,
  keep,
  settingsOf,
} from "./deploy/settings.ts";

/**
 * `npm run deploy` creates missing resources at Cloudflare, sets missing secrets, migrates and deploys. Then it prints
 * the link for creating the first owner. Every step skips finished work, so another run continues after a failure.
 */

const options = optionsOf(["env", "location", "jurisdiction", "domain", "contact", "account"], {
  from: "string",
});
const { environment, from: backup } = options;
const settings = settingsOf(options);
keep(environment, settings);
ensureResources(options, settings);
if (typeof backup === "string") fill(environment, backup);
const url = publish(environment, settings, missingSecrets(environment));
const isHealthy = await healthy(url);
const alreadyHasOwner = hasOwner(environment);
const { SETUP_SECRET: setupSecret = "as you keep it" } = readSecrets(environment);

console.log(`
Edge Forms ${isHealthy ? "answers" : "was deployed, and should answer within minutes,"} at ${url}

  Administration   ${url}/admin
${alreadyHasOwner ? "" : `  Set-up link      ${url}/admin/setup\n  Set-up secret    ${setupSecret}\n`}  Settings         ${fileOf(environment)}   keep it: ids and choices, no secret
  Secrets          ${secretsFileOf(environment)}   move it to where you keep secrets: Cloudflare never shows them
`);
