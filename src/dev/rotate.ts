import { optionsOf } from "./deploy/options.ts";
import { keepSecrets, newSecret, readSecrets, secretsFileOf, withSecretsFile } from "./deploy/secrets.ts";
import { fileOf, settingsOf } from "./deploy/settings.ts";
import { run, stop } from "./deploy/wrangler.ts";

/**
 * `npm run rotate`: puts a new TOKEN_SECRET in front of the old ones, which still verify; `-- --finish` takes those out.
 * The file is written before the Worker is told: whatever ends in between, no secret that is in use is lost.
 */

const { environment, finish } = optionsOf(["env"], { finish: "boolean" });
const known = readSecrets(environment);
const before = known.TOKEN_SECRET?.split(",").filter(Boolean) ?? [];
if (before.length === 0) {
  stop(
    `${secretsFileOf(environment)} has no TOKEN_SECRET. Put the one in use there, as {"TOKEN_SECRET": "…"}: without it ` +
      "every token that was given would end at once.",
  );
}
// A list of two is one that an earlier run began: it is sent again.
const begun = before.length > 1 ? before : [newSecret(), ...before];
const now = finish ? before.slice(0, 1) : begun;
const name = settingsOf({ environment }).name;
keepSecrets(environment, { ...known, TOKEN_SECRET: now.join(",") });
withSecretsFile({ TOKEN_SECRET: now.join(",") }, (path) =>
  run(["secret", "bulk", path, "--config", fileOf(environment)]),
);
console.log(
  finish
    ? `${name} verifies with the new secret alone.`
    : `${name} signs with the new secret and still takes what the old one signed. Rotate the credentials that were issued\nbefore now; then \`npm run rotate -- --finish\`.`,
);
