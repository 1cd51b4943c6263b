import { env } from "cloudflare:workers";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isObject } from "../../src/domain/json.ts";
import { compileCollection } from "../../src/domain/data/compile.ts";
import { narrowCollection } from "../../src/domain/data/narrow.ts";
import { meOperand } from "../../src/domain/search/tree.ts";
import type { Collection, CollectionKind } from "../../src/domain/definition/collection.ts";
import { referencedApps } from "../../src/domain/definition/reference-places.ts";
import { openApiDocument } from "../../src/documents/openapi/document.ts";
import { serviceDocument } from "../../src/documents/openapi/service.ts";
import { operations } from "../../src/operations/index.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Answer, Json } from "./client";
import { tellHappened } from "./happenings";
import { dataHandle } from "./databases";

/**
 * Validates every API response in the tests against the OpenAPI documents of the service and of its app or form. A
 * generated client expects the same of them.
 */

const host = { origin: "https://forms.example", contact: env.CONTACT_EMAIL };

interface Validator {
  document: Json;
  /** The name of the document in `ajv`. */
  id: string;
  /** The versions of the definitions that the document follows from. */
  versions: string;
  /** The check of each response body that was seen, by its place in the document. */
  checks: Map<string, ValidateFunction>;
  /** The paths of the document, those with fewer parameters first, because a literal segment takes precedence. */
  templates: readonly { template: string; matches: RegExp }[];
}

let service: Validator | undefined;
/** All documents that an app or form has had during a test, because a response may belong to an older one. */
const validatorsByCollection = new Map<string, Validator[]>();
/** Collections whose definition has been replaced since it was loaded. */
const replaced = new Set<string>();

/** Each test file has its own collections. Compiled schemas stay, because they have the same content in most files. */
export function forgetCollections(): void {
  for (const { id } of [...validatorsByCollection.values()].flat()) ajv.removeSchema(id);
  validatorsByCollection.clear();
  replaced.clear();
}

export async function conforms(
  requestMethod: string,
  address: string,
  answer: Answer,
): Promise<void> {
  // HEAD returns the response of GET without the body.
  const method = requestMethod === "HEAD" ? "GET" : requestMethod;
  const [, path] = /^\/api\/v1(\/.*)$/.exec(new URL(address).pathname) ?? [];
  if (path === undefined) return;
  service ??= buildValidator(serviceDocument(operations(), host), "");
  const mismatch = findMismatch(service, method, path, answer);
  if (mismatch !== undefined)
    throw new Error(failureMessage("the service", method, path, answer, mismatch));
  tellHappened(`${method} ${templateIn(service, path)}`, answer);
  const [kind, key] = collectionOf(path, answer);
  if (!key || /\/(schema|openapi\.json)$/.test(path))
    return noteNewDefinition(method, path, answer);
  const find = (validators: readonly Validator[]) => {
    const mismatches = validators.map((validator) => findMismatch(validator, method, path, answer));
    return mismatches.includes(undefined) ? undefined : mismatches[0];
  };
  const known = knownValidators(kind, key);
  if (known && find(known) === undefined) return;
  // The definition is new to this test, or it has changed in the administration.
  const current = find(await loadValidators(kind, key));
  if (current !== undefined)
    throw new Error(failureMessage(`the ${kind} ${key}`, method, path, answer, current));
}

function failureMessage(
  owner: string,
  method: string,
  path: string,
  { status, text }: Answer,
  mismatch: string,
) {
  return `The document of ${owner} does not have this answer to ${method} ${path}, ${status} ${text.slice(0, 500)}: ${mismatch}`;
}

/** All documents share one instance, because each instance compiles the schema of schemas, which takes longest. */
const ajv = addFormats["default"](new Ajv2020({ strict: false }));
ajv.addFormat("int32", {
  type: "number",
  validate: (value: number) => Math.abs(value) < 2 ** 31,
});
ajv.addFormat("int64", { type: "number", validate: Number.isSafeInteger });
let documentCount = 0;

function buildValidator(document: Json, versions: string): Validator {
  documentCount += 1;
  const id = `document-${documentCount}`;
  ajv.addSchema({ $id: id, ...forbidExtraMembers(document) });
  const templates = Object.keys(document.paths)
    .toSorted((a, b) => a.split("{").length - b.split("{").length)
    .map((template) => ({
      template,
      matches: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }));
  return { document, id, versions, checks: new Map(), templates };
}

/** Compiled schemas by their content. Most problems have the same schema in all documents. */
const checksByContent = new Map<string, ValidateFunction>();

/** The check of the schema at this place in the document. */
function checkAt({ document, id, checks }: Validator, steps: readonly string[]): ValidateFunction {
  const pointer = steps.map(escapeStep).join("/");
  const known = checks.get(pointer);
  if (known) return known;
  const content = contentOf(
    document,
    steps.reduce((part, step) => part[step], document),
  );
  const check = checksByContent.get(content) ?? ajv.getSchema(`${id}#/${pointer}`);
  if (!check) throw new Error(`There is no schema at ${pointer}.`);
  checksByContent.set(content, check);
  checks.set(pointer, check);
  return check;
}

/** A schema with everything that it refers to, as text. */
function contentOf(document: Json, schema: Json): string {
  const referred = new Map<string, Json>();
  const visit = (part: Json): void => {
    if (typeof part !== "object" || part === null) return;
    if (typeof part.$ref === "string" && !referred.has(part.$ref)) {
      const target = resolveReference(document, part, [])?.value;
      referred.set(part.$ref, target);
      visit(target);
    }
    for (const child of Object.values(part)) visit(child);
  };
  visit(schema);
  return JSON.stringify([schema, ...referred]);
}

/** Forbids undocumented members. The documents allow them, because responses may gain members in later versions. */
function forbidExtraMembers(part: Json): Json {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(forbidExtraMembers);
  const inner = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, forbidExtraMembers(value)]),
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

/** The documents that a collection has had as far as this test knows, unless its definition has just been replaced. */
function knownValidators(kind: CollectionKind, key: string): Validator[] | undefined {
  const name = `${kind} ${key}`;
  return replaced.has(name) ? undefined : validatorsByCollection.get(name);
}

/** Loads the current definition of a collection. Reading it for every response would double the time of the tests. */
async function loadValidators(kind: CollectionKind, key: string): Promise<Validator[]> {
  const name = `${kind} ${key}`;
  replaced.delete(name);
  const current = await findCollection(dataHandle, kind, key);
  if (!current) return [];
  const validators = validatorsByCollection.get(name) ?? [];
  const apps = await loadReferencedApps(current.collection);
  const versions = [current.collection, ...apps].map(({ version }) => version).join(".");
  if (!validators.some((validator) => validator.versions === versions)) {
    // A credential that sees the collection through a view has the document of that view.
    const documents = [current.collection, ...narrowParts(current.collection)].flatMap(
      (collection) =>
        visibleApps(apps).map((visible) =>
          buildValidator(openApiDocument(operations(), collection, host, visible), versions),
        ),
    );
    validators.unshift(...documents);
    validatorsByCollection.set(name, validators);
  }
  return validators;
}

/** What the views of a collection show of it. */
function narrowParts(collection: Collection): Collection[] {
  const compiled = compileCollection(collection);
  const views = collection.definition.views ?? [];
  return views.map((view) => narrowCollection(compiled, view, meOperand).collection);
}

/** The apps as a credential sees them that sees all as a whole, or one of them through a view. */
function visibleApps(apps: readonly Collection[]): (readonly Collection[])[] {
  const narrow = apps.flatMap((app, index) =>
    narrowParts(app).map((part) => apps.with(index, part)),
  );
  return [apps, ...narrow];
}

async function loadReferencedApps({ definition }: Collection): Promise<Collection[]> {
  const keys = referencedApps(definition.fields.fields);
  const found = await Promise.all(keys.map((app) => findCollection(dataHandle, "app", app)));
  return found.flatMap((app) => (app ? [app.collection] : []));
}

function noteNewDefinition(method: string, path: string, { status }: Answer): void {
  const [, kind, key] = /^\/(app|form)s\/([^/]+)\/schema$/.exec(path) ?? [];
  if (kind && method !== "GET" && status < 300) replaced.add(`${kind} ${key}`);
}

/** Describes how a response differs from the document, if it does. */
function findMismatch(validator: Validator, method: string, path: string, answer: Answer) {
  const { document } = validator;
  const template = templateIn(validator, path);
  const operation = template && document.paths[template][method.toLowerCase()];
  // The service can return these statuses before it finds a route.
  if (!operation)
    return [401, 404, 405, 429].includes(answer.status) ? undefined : "no such operation";
  const { status, headers, body } = answer;
  const steps = ["paths", template, method.toLowerCase(), "responses", String(status)];
  const response = resolveReference(document, operation.responses[status], steps);
  if (!response) return `no answer ${status}`;
  const mismatch = findHeaderMismatch(document, response.value.headers ?? {}, headers);
  if (mismatch !== undefined) return mismatch;
  const type = (headers.get("Content-Type") ?? "").split(";")[0] ?? "";
  const { content } = response.value;
  if (!content) return type === "" ? undefined : `no content ${type}`;
  // Files have any type.
  if (content["*/*"] && answer.status < 300) return undefined;
  if (!content[type]) return `no content ${type}`;
  if (body === undefined) return undefined;
  const check = checkAt(validator, [...response.at, "content", type, "schema"]);
  return check(body) ? undefined : ajv.errorsText(check.errors);
}

/** Headers that any response may have and that the documents omit. */
const standardHeaders = new Set([
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

/** Describes an undocumented, missing or invalid header, if there is one. */
function findHeaderMismatch(document: Json, declared: Json, headers: Headers): string | undefined {
  const entries = Object.entries(declared).map(
    ([name, header]) => [name.toLowerCase(), header] as const,
  );
  const documented = new Map(entries);
  for (const [name] of headers) {
    if (!documented.has(name) && !standardHeaders.has(name)) return `no header ${name}`;
  }
  for (const [name, header] of documented) {
    const { required, schema } = resolveReference(document, header, [])?.value ?? {};
    const value = headers.get(name);
    if (value === null && required) return `the header ${name} is missing`;
    if (value === null) continue;
    const parsed = schema.type === "integer" ? Number(value) : value;
    if (!ajv.validate(schema, parsed)) return `${name}: ${value}: ${ajv.errorsText()}`;
  }
  return undefined;
}

function templateIn({ templates }: Validator, path: string): string | undefined {
  return templates.find(({ matches }) => matches.test(path))?.template;
}

function resolveReference(
  document: Json,
  value: Json,
  path: string[],
): { value: Json; at: string[] } | undefined {
  if (value === undefined) return undefined;
  if (!value.$ref) return { value, at: path };
  const steps = (value.$ref as string).slice(2).split("/");
  return { value: steps.reduce((part, step) => part[step], document), at: steps };
}

const escapeStep = (step: string) =>
  encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
