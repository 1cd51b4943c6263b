import { env } from "cloudflare:workers";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isObject } from "../../src/domain/json.ts";
import type { CollectionKind } from "../../src/domain/definition/collection.ts";
import { openApiDocument } from "../../src/documents/openapi/document.ts";
import { serviceDocument } from "../../src/documents/openapi/service.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Answer, Json } from "./client";
import { tellHappened } from "./happenings";

/**
 * Every answer that a test gets from the API is judged by the OpenAPI document of its app or form, and by that of the
 * service: as an integrator would whose client was generated from it.
 */

const host = { origin: "https://forms.example", contact: env.CONTACT_EMAIL };

interface Judge {
  document: Json;
  ajv: Ajv2020;
  /** The paths of the document, those first that have fewer parameters: what stands in a path goes before them. */
  templates: readonly { template: string; matches: RegExp }[];
}

let service: Judge | undefined;
/** The documents that an app or form has had while a test ran: an answer may be older than the last of them. */
const seen = new Map<string, Judge[]>();

export async function conforms(sent: string, address: string, answer: Answer): Promise<void> {
  // HEAD answers as GET does, without the body.
  const method = sent === "HEAD" ? "GET" : sent;
  const [, path] = /^\/api\/v1(\/.*)$/.exec(new URL(address).pathname) ?? [];
  if (path === undefined) return;
  service ??= judgeOf(serviceDocument(host));
  const found = faultOf(service, method, path, answer);
  if (found !== undefined) throw new Error(told("the service", method, path, answer, found));
  tellHappened(`${method} ${templateIn(service, path)}`, answer);
  const [kind, key] = collectionOf(path, answer);
  if (!key || /\/(schema|openapi\.json)$/.test(path)) return;
  const judges = await judgesOf(kind, key);
  const faults = judges.map((judge) => faultOf(judge, method, path, answer));
  const [first] = faults;
  if (first !== undefined && !faults.includes(undefined)) {
    throw new Error(told(`the ${kind} ${key}`, method, path, answer, first));
  }
}

function told(
  whose: string,
  method: string,
  path: string,
  { status, text }: Answer,
  fault: string,
) {
  return `The document of ${whose} does not have this answer to ${method} ${path}, ${status} ${text.slice(0, 500)}: ${fault}`;
}

function judgeOf(document: Json): Judge {
  const ajv = addFormats["default"](new Ajv2020({ strict: false }));
  ajv.addFormat("int32", {
    type: "number",
    validate: (value: number) => Math.abs(value) < 2 ** 31,
  });
  ajv.addFormat("int64", { type: "number", validate: Number.isSafeInteger });
  ajv.addSchema({ $id: "document", ...closed(document) });
  const templates = Object.keys(document.paths)
    .toSorted((a, b) => a.split("{").length - b.split("{").length)
    .map((template) => ({
      template,
      matches: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }));
  return { document, ajv, templates };
}

/**
 * Answers may gain members in time, and documents leave them open; of the answers of now, every member is to be
 * documented.
 */
function closed(part: Json): Json {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(closed);
  const inner = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, closed(value)]),
  );
  return isObject(part.properties) && part.type === "object" && !("additionalProperties" in part)
    ? { ...inner, additionalProperties: false }
    : inner;
}

function collectionOf(path: string, { body }: Answer): [CollectionKind, string | undefined] {
  const [, kind, key] = /^\/(app|form)s\/([^/]+)\/(?:records|submissions)/.exec(path) ?? [];
  if (kind === "app" || kind === "form") return [kind, key];
  return [
    "form",
    path.startsWith("/submissions/") ? (body?.form as string | undefined) : undefined,
  ];
}

async function judgesOf(kind: CollectionKind, key: string): Promise<Judge[]> {
  const now = await findCollection(env.DB, kind, key);
  if (!now) return [];
  const name = `${kind} ${key}`;
  const known = seen.get(name) ?? [];
  const version = String(now.collection.version);
  if (!known.some(({ document }) => document.info.version === version)) {
    known.unshift(judgeOf(openApiDocument(now.collection, host)));
    seen.set(name, known);
  }
  return known;
}

/** What the document does not have of this answer, if anything. */
function faultOf(judge: Judge, method: string, path: string, answer: Answer) {
  const { document, ajv } = judge;
  const template = templateIn(judge, path);
  const operation = template && document.paths[template][method.toLowerCase()];
  // What comes before a route is looked for: the credential, its limits, and whether there is one.
  if (!operation)
    return [401, 404, 405, 429].includes(answer.status) ? undefined : "no such operation";
  const { status, headers, body } = answer;
  const at = ["paths", template, method.toLowerCase(), "responses", String(status)];
  const response = resolved(document, operation.responses[status], at);
  if (!response) return `no answer ${status}`;
  const fault = headerFault(document, ajv, response.value.headers ?? {}, headers);
  if (fault !== undefined) return fault;
  const type = (headers.get("Content-Type") ?? "").split(";")[0] ?? "";
  const { content } = response.value;
  if (!content) return type === "" ? undefined : `no content ${type}`;
  if (!content[type]) return `no content ${type}`;
  if (body === undefined) return undefined;
  const pointer = [...response.at, "content", type, "schema"].map(escaped).join("/");
  const check = ajv.getSchema(`document#/${pointer}`);
  if (!check) return `no schema at ${pointer}`;
  return check(body) ? undefined : ajv.errorsText(check.errors);
}

/** Headers that every answer of a web service can have, and no document tells. */
const common = new Set([
  "allow",
  "cache-control",
  "content-length",
  "content-security-policy",
  "content-type",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "origin-agent-cluster",
  "permissions-policy",
  "referrer-policy",
  "strict-transport-security",
  "vary",
  "x-content-type-options",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-xss-protection",
]);

/** What is wrong with the headers: one that is not documented, one that is missing, one that says something else. */
function headerFault(
  document: Json,
  ajv: Ajv2020,
  allowed: Json,
  sent: Headers,
): string | undefined {
  const named = Object.entries(allowed).map(
    ([name, header]) => [name.toLowerCase(), header] as const,
  );
  const documented = new Map(named);
  for (const [name] of sent) {
    if (!documented.has(name) && !common.has(name)) return `no header ${name}`;
  }
  for (const [name, header] of documented) {
    const { required, schema } = resolved(document, header, [])?.value ?? {};
    const value = sent.get(name);
    if (value === null && required) return `the header ${name} is missing`;
    if (value === null) continue;
    const read = schema.type === "integer" ? Number(value) : value;
    if (!ajv.validate(schema, read)) return `${name}: ${value}: ${ajv.errorsText()}`;
  }
  return undefined;
}

function templateIn({ templates }: Judge, path: string): string | undefined {
  return templates.find(({ matches }) => matches.test(path))?.template;
}

function resolved(
  document: Json,
  value: Json,
  at: string[],
): { value: Json; at: string[] } | undefined {
  if (value === undefined) return undefined;
  if (!value.$ref) return { value, at };
  const steps = (value.$ref as string).slice(2).split("/");
  return { value: steps.reduce((part, step) => part[step], document), at: steps };
}

const escaped = (step: string) =>
  encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
