import type { Credential } from "#domain/credential/credential.ts";
import { clientId } from "./describe.ts";
import { exampleData } from "#documents/openapi/examples.ts";
import { allows, type Permission } from "#domain/credential/permissions.ts";
import type { Reached } from "#store/home/credential-lists.ts";

/**
 * What an assistant's settings take, by the Model Context Protocol: the address and the header, as most clients write
 * them. Of a client, what its program takes, as no setting is the same everywhere.
 */
export function assistantSettings(origin: string, credential: Credential, secret: string): string {
  const url = `${origin}/mcp`;
  if (credential.kind !== "token") {
    const [id, issuer] = [clientId(credential), origin];
    return JSON.stringify({ url, issuer, client_id: id, client_secret: secret }, null, 2);
  }
  const headers = { Authorization: `Bearer ${secret}` };
  const server = { type: "http", url, headers };
  return JSON.stringify({ mcpServers: { "edge-forms": server } }, null, 2);
}

/** A first call that works and changes nothing. */
export interface DryRun {
  method: "GET" | "POST";
  url: string;
  body?: object;
}

/** A check of a submission where it may create, else the best that it may read. */
export function dryRun(
  origin: string,
  { permissions }: Credential,
  { form, app }: Reached,
): DryRun {
  const at = (path: string) => `${origin}/api/v1${path}`;
  const has = (permission: Permission) => allows(permissions, permission);
  if (form && has("submissions:create")) {
    const data = exampleData(form.definition.fields.fields);
    return { method: "POST", url: at(`/forms/${form.key}/submissions/validate`), body: { data } };
  }
  if (form && has("submissions:read"))
    return { method: "GET", url: at(`/forms/${form.key}/submissions?limit=5`) };
  if (app && has("records:read"))
    return { method: "GET", url: at(`/apps/${app.key}/records?limit=5`) };
  if (form && has("schema:read")) return { method: "GET", url: at(`/forms/${form.key}/schema`) };
  return { method: "GET", url: at("/me") };
}

/** The same call in three languages. */
export function snippets(
  run: DryRun,
  origin: string,
  credential: Credential,
  secret: string,
): Record<"curl" | "TypeScript" | "Python", string> {
  const who = credential.kind === "token" ? undefined : { id: clientId(credential), secret };
  return {
    curl: curl(run, origin, secret, who),
    TypeScript: typescript(run, origin, secret, who),
    Python: python(run, origin, secret, who),
  };
}

type Client = { id: string; secret: string } | undefined;

/** Quotes for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function curl({ url, body }: DryRun, origin: string, secret: string, client: Client): string {
  const token = client
    ? `TOKEN=$(curl -s -u ${quoted(`${client.id}:${client.secret}`)} -d grant_type=client_credentials \\\n  ${origin}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')\n`
    : "";
  const bearer = client
    ? '"Authorization: Bearer $TOKEN"'
    : quoted(`Authorization: Bearer ${secret}`);
  const parts = [`curl -s ${quoted(url)}`, `-H ${bearer}`];
  if (body) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return token + parts.join(" \\\n  ");
}

function typescript({ method, url, body }: DryRun, origin: string, secret: string, client: Client) {
  const token = client
    ? `const exchanged = await fetch(${JSON.stringify(`${origin}/oauth/token`)}, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: ${JSON.stringify(client.id)},
    client_secret: ${JSON.stringify(client.secret)},
  }),
});
const { access_token: token } = await exchanged.json();
`
    : `const token = ${JSON.stringify(secret)};\n`;
  const headers = body
    ? '{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" }'
    : "{ Authorization: `Bearer ${token}` }";
  const sent = body ? `\n  body: JSON.stringify(${JSON.stringify(body)}),` : "";
  return `${token}const answer = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: ${headers},${sent}
});
console.log(answer.status, await answer.json());`;
}

function python({ method, url, body }: DryRun, origin: string, secret: string, client: Client) {
  const token = client
    ? `form = urllib.parse.urlencode({
    "grant_type": "client_credentials",
    "client_id": ${JSON.stringify(client.id)},
    "client_secret": ${JSON.stringify(client.secret)},
}).encode()
with urllib.request.urlopen(${JSON.stringify(`${origin}/oauth/token`)}, form) as exchanged:
    token = json.load(exchanged)["access_token"]
`
    : `token = ${JSON.stringify(secret)}\n`;
  const sent = body
    ? `\n    data=json.dumps(json.loads(${pythonText(JSON.stringify(body))})).encode(),`
    : "";
  const type = body ? ', "Content-Type": "application/json"' : "";
  return `import json, urllib.parse, urllib.request

${token}request = urllib.request.Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},${sent}
    headers={"Authorization": f"Bearer {token}"${type}},
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, json.load(answer))`;
}

/** A text between quotes, as Python reads it: JSON's escapes are Python's, but for those of half a character. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
