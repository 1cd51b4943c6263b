import { parseArgs } from "node:util";
import { defaultCredential, issue, Owner, type CredentialOptions } from "./owner.ts";

/** `npm run -s credential -- --json …`: issues a credential on the running server, as the local owner. */

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    url: { type: "string", default: "http://127.0.0.1:8787" },
    kind: { type: "string" },
    name: { type: "string" },
    permissions: { type: "string" },
    resources: { type: "string" },
    requests: { type: "string" },
    writes: { type: "string" },
    expires: { type: "string" },
  },
});

const { json, url, ...chosen } = values;
const options: CredentialOptions = {
  ...defaultCredential,
  ...chosen,
  requests: Number(chosen.requests ?? defaultCredential.requests),
  writes: Number(chosen.writes ?? defaultCredential.writes),
};

try {
  const issued = await issue(new Owner(url), options);
  if (json) console.log(JSON.stringify(issued));
  else for (const [name, value] of Object.entries(issued)) console.log(`${name}: ${value}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
