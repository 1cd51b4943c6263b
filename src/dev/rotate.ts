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
    `${secretsFileOf(environment)} has no TOKEN_SECRET. Put the one in use there, as {"TOKEN_SECRET": "…"}: without it ` +
      "every token that was given would end at once.",
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
    ? `${name} verifies with the new secret alone.`
    : `${name} signs with the new secret and still takes what the old one signed. Rotate the credentials that were issued\nbefore now; then \`npm run rotate -- --finish\`.`,
);
