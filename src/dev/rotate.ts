import { parseDeploymentOptions } from "./deploy/options.ts";
import { openInstallation } from "./deploy/deployment.ts";
import {
  createSecret,
  readSecrets,
  saveSecrets,
  secretsFileOf,
  withSecretsFile,
} from "./deploy/secrets.ts";
import { saveSettings, settingsFileOf } from "./deploy/settings.ts";
import { runWrangler, stop } from "./deploy/wrangler.ts";

/**
 * `npm run rotate` puts a new TOKEN_SECRET in front of the old ones, which still verify. `-- --finish` removes the old
 * ones. It writes the file before it updates the Worker, so an interruption never loses a secret that is in use.
 */

const options = parseDeploymentOptions(["env", "account"], { finish: "boolean" });
const { environment, finish } = options;
const secrets = readSecrets(environment);
const keys = secrets.TOKEN_SECRET?.split(",").filter(Boolean) ?? [];
if (keys.length === 0) {
  stop(
    `${secretsFileOf(environment)} has no TOKEN_SECRET. Add the one in use, as {"TOKEN_SECRET": "…"}. Without it, ` +
      "all issued tokens would become invalid immediately.",
  );
}
// With two keys, an earlier run has already started the rotation. Sends the same keys again.
const newKeys = keys.length > 1 ? keys : [createSecret(), ...keys];
const activeKeys = finish ? keys.slice(0, 1) : newKeys;
const { settings } = await openInstallation(options);
saveSettings(environment, settings);
saveSecrets(environment, { ...secrets, TOKEN_SECRET: activeKeys.join(",") });
await withSecretsFile({ TOKEN_SECRET: activeKeys.join(",") }, (path) =>
  runWrangler(["secret", "bulk", path, "--config", settingsFileOf(environment)]),
);
console.log(
  finish
    ? `${settings.name} now accepts only the new secret.`
    : `${settings.name} signs with the new secret and still accepts the old one. Rotate the credentials that were issued before\nnow. Then run \`npm run rotate -- --finish\`.`,
);
