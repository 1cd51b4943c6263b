import { apiRoot, collectionPaths, fillPath, mePath } from "#domain/api-paths.ts";
import { clientId, isNarrow, type Credential } from "#domain/credential/credential.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { exampleData } from "./openapi/examples.ts";
import { permissionsAllow, type Permission } from "#domain/credential/permissions.ts";

/** A form and an app that the credential can access. */
interface ExampleCollections {
  form: Collection | undefined;
  app: Collection | undefined;
}

/**
 * Returns settings for an assistant that uses the Model Context Protocol. Settings for tokens have the format of most
 * assistants. OAuth clients have no common format, so their settings contain only the values.
 */
export function buildAssistantSettings(
  origin: string,
  credential: Credential,
  secret: string,
): string {
  const url = `${origin}/mcp`;
  if (credential.kind !== "token") {
    const [id, issuer] = [clientId(credential), origin];
    return JSON.stringify({ url, issuer, client_id: id, client_secret: secret }, null, 2);
  }
  const headers = { Authorization: `Bearer ${secret}` };
  const server = { type: "http", url, headers };
  return JSON.stringify({ mcpServers: { "edge-forms": server } }, null, 2);
}

/**
 * Returns the code with which a web page creates a submission, after a comment. Undefined for credentials that can do
 * anything else.
 */
export function buildWebsiteSnippet(
  origin: string,
  { kind, permissions }: Credential,
  secret: string,
  { form }: ExampleCollections,
  comment: string,
): string | undefined {
  const canOnlyCreate = permissions.length === 1 && permissions[0] === "submissions:create";
  if (kind !== "token" || !canOnlyCreate || !form) return undefined;
  const url = origin + apiRoot + fillPath(collectionPaths("form").items, { key: form.key });
  const data = sendableData(form.definition.fields.fields);
  return `// ${comment}
const key = crypto.randomUUID();
const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    Authorization: ${JSON.stringify(`Bearer ${secret}`)},
    "Content-Type": "application/json",
    "Idempotency-Key": key,
  },
  body: JSON.stringify(${JSON.stringify({ data })}),
});
console.log(response.status, await response.json());`;
}

/** Returns example data that a program can send unchanged. It omits optional fields that name files or records. */
const sendableData = (fields: readonly Field[]) => omitOptionalNames(fields, exampleData(fields));

function omitOptionalNames(fields: readonly Field[], data: Record<string, unknown>) {
  const entries = fields
    .filter(({ type, required }) => required || (type !== "files" && type !== "reference"))
    .filter(({ key }) => key in data)
    .map((field): [string, unknown] => {
      const value = data[field.key];
      if (field.type !== "line_items" || !Array.isArray(value)) return [field.key, value];
      return [field.key, value.map((row) => omitOptionalNames(field.fields, row as typeof data))];
    });
  return Object.fromEntries(entries);
}

/** An example call that works and changes nothing. */
export interface ExampleCall {
  method: "GET" | "POST";
  url: string;
  body?: object;
}

/** Validates a submission if the credential may create one. Otherwise reads something that it may read. */
export function buildExampleCall(
  origin: string,
  { permissions, resources }: Credential,
  { form, app }: ExampleCollections,
): ExampleCall {
  const urlOf = (path: string, key = "") => origin + apiRoot + fillPath(path, { key });
  const [formPaths, appPaths] = [collectionPaths("form"), collectionPaths("app")];
  const has = (permission: Permission) => permissionsAllow(permissions, permission);
  // A view contains only part of the form, so a list is more useful than the validation of an example.
  const isPart = isNarrow(resources) && has("submissions:read");
  if (form && has("submissions:create") && !isPart) {
    const data = sendableData(form.definition.fields.fields);
    return {
      method: "POST",
      url: urlOf(formPaths.validate, form.key),
      body: { data },
    };
  }
  if (form && has("submissions:read"))
    return { method: "GET", url: urlOf(`${formPaths.items}?limit=5`, form.key) };
  if (app && has("records:read"))
    return { method: "GET", url: urlOf(`${appPaths.items}?limit=5`, app.key) };
  if (form && has("schema:read")) return { method: "GET", url: urlOf(formPaths.schema, form.key) };
  return { method: "GET", url: urlOf(mePath) };
}

/** Returns the same call in three languages. */
export function buildSnippets(
  call: ExampleCall,
  origin: string,
  credential: Credential,
  secret: string,
): Record<"curl" | "TypeScript" | "Python", string> {
  const client = credential.kind === "token" ? undefined : { id: clientId(credential), secret };
  return {
    curl: curlSnippet(call, origin, secret, client),
    TypeScript: typescriptSnippet(call, origin, secret, client),
    Python: pythonSnippet(call, origin, secret, client),
  };
}

type ClientCredentials = { id: string; secret: string } | undefined;

/** Quotes a text for the shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function curlSnippet(
  { url, body }: ExampleCall,
  origin: string,
  secret: string,
  client: ClientCredentials,
): string {
  const token = client
    ? `TOKEN=$(curl -s -u ${shellQuote(`${client.id}:${client.secret}`)} -d grant_type=client_credentials \\\n  ${origin}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')\n`
    : "";
  const bearer = client
    ? '"Authorization: Bearer $TOKEN"'
    : shellQuote(`Authorization: Bearer ${secret}`);
  const parts = [`curl -s ${shellQuote(url)}`, `-H ${bearer}`];
  if (body)
    parts.push("-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`);
  return token + parts.join(" \\\n  ");
}

function typescriptSnippet(
  { method, url, body }: ExampleCall,
  origin: string,
  secret: string,
  client: ClientCredentials,
) {
  const token = client
    ? `const tokenResponse = await fetch(${JSON.stringify(`${origin}/oauth/token`)}, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: ${JSON.stringify(client.id)},
    client_secret: ${JSON.stringify(client.secret)},
  }),
});
const { access_token: token } = await tokenResponse.json();
`
    : `const token = ${JSON.stringify(secret)};\n`;
  const headers = body
    ? '{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" }'
    : "{ Authorization: `Bearer ${token}` }";
  const bodyOption = body ? `\n  body: JSON.stringify(${JSON.stringify(body)}),` : "";
  return `${token}const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: ${headers},${bodyOption}
});
console.log(response.status, await response.json());`;
}

function pythonSnippet(
  { method, url, body }: ExampleCall,
  origin: string,
  secret: string,
  client: ClientCredentials,
) {
  const token = client
    ? `form = urllib.parse.urlencode({
    "grant_type": "client_credentials",
    "client_id": ${JSON.stringify(client.id)},
    "client_secret": ${JSON.stringify(client.secret)},
}).encode()
with urllib.request.urlopen(${JSON.stringify(`${origin}/oauth/token`)}, form) as token_response:
    token = json.load(token_response)["access_token"]
`
    : `token = ${JSON.stringify(secret)}\n`;
  const bodyArgument = body
    ? `\n    data=json.dumps(json.loads(${pythonString(JSON.stringify(body))})).encode(),`
    : "";
  const contentType = body ? ', "Content-Type": "application/json"' : "";
  return `import json, urllib.parse, urllib.request

${token}request = urllib.request.Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},${bodyArgument}
    headers={"Authorization": f"Bearer {token}"${contentType}},
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`;
}

/** Returns a Python string literal. Python supports JSON's escapes, except escapes of lone surrogates. */
function pythonString(text: string): string {
  return JSON.stringify(text);
}
