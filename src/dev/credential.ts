import { parseArgs } from "node:util";
import { defaultCredential, issue, Owner, type CredentialOptions, type IssuedCredential } from "./owner.ts";

/**
 * `npm run -s credential -- --json …`: issues a credential on the running server, as the local owner. `--bare` prints the
 * secret alone: the token, or `client_id:client_secret`, as curl's `-u` takes it.
 */

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    bare: { type: "boolean", default: false },
    url: { type: "string", default: "http://127.0.0.1:8787" },
    kind: { type: "string" },
    name: { type: "string" },
    permissions: { type: "string" },
    resources: { type: "string" },
    requests: { type: "string" },
    writes: { type: "string" },
    expires: { type: "string" },
    origins: { type: "string" },
  },
});

const { json, bare, url, ...chosen } = values;
const options: CredentialOptions = {
  ...defaultCredential,
  ...chosen,
  requests: Number(chosen.requests ?? defaultCredential.requests),
  writes: Number(chosen.writes ?? defaultCredential.writes),
};

try {
  const issued = await issue(new Owner(url), options);
  if (json) console.log(JSON.stringify(issued));
  else if (bare) console.log(bareOf(issued));
  else for (const [name, value] of Object.entries(issued)) console.log(`${name}: ${value}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function bareOf(issued: IssuedCredential): string {
  return "token" in issued ? issued.token : `${issued.client_id}:${issued.client_secret}`;
}
