import { optionsOf } from "./deploy/options.ts";
import { hasOwner, healthy, publish } from "./deploy/publish.ts";
import { ensureResources, fill } from "./deploy/resources.ts";
import { missingSecrets, readSecrets, secretsFileOf } from "./deploy/secrets.ts";
import { fileOf, keep, settingsOf } from "./deploy/settings.ts";

/**
 * `npm run deploy`: makes what is missing at Cloudflare, sets secrets that are not set, migrates, deploys, and says where
 * the first owner is made. Each step looks first at what is there, so it goes on where an earlier run ended.
 */

const chosen = optionsOf(["env", "location", "jurisdiction", "domain", "contact", "account"], {
  from: "string",
});
const { environment, from } = chosen;
const settings = settingsOf(chosen);
keep(environment, settings);
ensureResources(chosen, settings);
if (typeof from === "string") fill(environment, from);
const url = publish(environment, settings, missingSecrets(environment));
const well = await healthy(url);
const owned = hasOwner(environment);
const { SETUP_SECRET: setUp = "as you keep it" } = readSecrets(environment);

console.log(`
Edge Forms ${well ? "answers" : "was deployed, and should answer within minutes,"} at ${url}

  Administration   ${url}/admin
${owned ? "" : `  Set-up link      ${url}/admin/setup\n  Set-up secret    ${setUp}\n`}  Settings         ${fileOf(environment)}   keep it: ids and choices, no secret
  Secrets          ${secretsFileOf(environment)}   move it to where you keep secrets: Cloudflare never shows them
`);
