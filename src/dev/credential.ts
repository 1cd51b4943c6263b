import { parseOptions } from "./command.ts";
import {
  defaultCredential,
  findMissingResources,
  issueCredential,
  Owner,
  type CredentialOptions,
  type IssuedCredential,
} from "./owner.ts";

/**
 * `npm run -s credential -- --json …` issues a credential on the running server, as the local owner. `--bare` prints
 * only the secret: the token, or `client_id:client_secret` for curl's `-u`.
 */

const usage = `
Usage: npm run -s credential -- [options]

Issues a credential on the running service, as the local owner.

  --kind token|client   personal token (default) or API client
  --name TEXT           name in the administration area; default: Command line
  --permissions LIST    comma-separated, like records:read,records:write; default: all
  --resources LIST      comma-separated app:KEY, form:KEY, app:KEY/VIEW, form:KEY/VIEW; default: all
  --requests NUMBER     requests per minute; default: 600
  --writes NUMBER       writes per minute; default: 120
  --expires WHEN        30d (default), 90d, 365d, a date, or never
  --origins LIST        comma-separated browser origins, like https://www.example.com
  --url URL             URL of the service; default: http://127.0.0.1:8787
  --json                print one JSON object
  --bare                print only the token, or client_id:client_secret
`;

const values = parseOptions(usage, {
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
});

const { json, bare, url, ...input } = values;
const options: CredentialOptions = {
  ...defaultCredential,
  ...input,
  requests: Number(input.requests ?? defaultCredential.requests),
  writes: Number(input.writes ?? defaultCredential.writes),
};

try {
  const owner = new Owner(url);
  const issued = await issueCredential(owner, options);
  if (json) console.log(JSON.stringify(issued));
  else if (bare) console.log(secretOf(issued));
  else printCredential(issued);
  for (const name of await findMissingResources(owner, options.resources))
    console.error(`Warning: ${name} does not exist. The credential can use it once it exists.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function printCredential(issued: IssuedCredential): void {
  const { expires_at: expiresAt, ...details } = issued;
  const lines = { expires: expiresAt ?? "never", ...details };
  for (const [name, value] of Object.entries(lines)) console.log(`${name}: ${String(value)}`);
  console.log("The secret is shown only once.");
}

function secretOf(issued: IssuedCredential): string {
  return "token" in issued ? issued.token : `${issued.client_id}:${issued.client_secret}`;
}
