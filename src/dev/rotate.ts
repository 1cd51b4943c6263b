import { optionsOf } from "./deploy/options.ts";
import {
  keepSecrets,
  newSecret,
  readSecrets,
  secretsFileOf,
  withSecretsFile,
  fileOf,
  settingsOf,
} from "./deploy/settings.ts";
import { run, stop } from "./deploy/wrangler.ts";

/**
 * `npm run rotate` puts a new TOKEN_SECRET in front of the old ones, which still verify. `-- --finish` removes the old
 * ones. It writes the file before it updates the Worker, so an interruption never loses a secret that is in use.
 */

const { environment, finish } = optionsOf(["env"], { finish: "boolean" });
const secrets = readSecrets(environment);
const keys = secrets.TOKEN_SECRET?.split(",").filter(Boolean) ?? [];
if (keys.length === 0) {
  stop(
    `${secretsFileOf(environment)} has no TOKEN_SECRET. Add the current one as {"TOKEN_SECRET": "…"}. Without it, ` +
      "all issued tokens would stop working immediately.",
  );
}
// With two keys, an earlier run has already started the rotation. Sends the same keys again.
const newKeys = keys.length > 1 ? keys : [newSecret(), ...keys];
const activeKeys = finish ? keys.slice(0, 1) : newKeys;
const name = settingsOf({ environment }).name;
keepSecrets(environment, { ...secrets, TOKEN_SECRET: activeKeys.join(",") });
withSecretsFile({ TOKEN_SECRET: activeKeys.join(",") }, (path) =>
  run(["secret", "bulk", path, "--config", fileOf(environment)]),
);
console.log(
  finish
    ? `${name} accepts only the new secret.`
    : `${name} signs with the new secret and still accepts the old one. Rotate all credentials that were issued\nbefore now. Then run \`npm run rotate -- --finish\`.`,
);
