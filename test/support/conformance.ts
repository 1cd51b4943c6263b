import { env } from "cloudflare:workers";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isObject } from "../../src/domain/json.ts";
import { lazy } from "../../src/domain/lazy.ts";
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
 * Validates every API response in the tests against the OpenAPI documents of the service and of its app or form.
 * Generated clients rely on the same documents.
 */

const host = { origin: "https://forms.example", contact: env.CONTACT_EMAIL };

interface Validator {
  document: Json;
  /** The paths of the document, those with fewer parameters first, because a literal segment takes precedence. */
  templates: readonly { template: string; matches: RegExp }[];
}

/** Most responses match the first document of a collection, so the others are built when they are needed. */
interface CollectionValidator {
  /** The versions of the definitions from which the document was built. */
  versions: string;
  load: () => Validator;
}

const loadService = lazy(() => buildValidator(serviceDocument(operations(), host)));
/** All documents that an app or form has had during a test, because a response may belong to an older one. */
const validatorsByCollection = new Map<string, CollectionValidator[]>();
/** Collections whose definition has been replaced since it was loaded. */
const replaced = new Set<string>();

/** Each test file has its own collections. Compiled schemas stay, because they have the same content in most files. */
export function forgetCollections(): void {
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
  const service = loadService();
  const mismatch = findMismatch(service, method, path, answer);
  if (mismatch !== undefined)
    throw new Error(failureMessage("the service", method, path, answer, mismatch));
  tellHappened(`${method} ${templateIn(service, path)}`, answer);
  const [kind, key] = collectionOf(path, answer);
  if (!key || /\/(schema|openapi\.json)$/.test(path))
    return noteNewDefinition(method, path, answer);
  const find = (validators: readonly CollectionValidator[]) => {
    let first: string | undefined;
    for (const { load } of validators) {
      const found = findMismatch(load(), method, path, answer);
      if (found === undefined) return undefined;
      first ??= found;
    }
    return first;
  };
  const known = knownValidators(kind, key);
  if (known && find(known) === undefined) return;
  // The definition is new to this test, or it has changed in the administration area.
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

/**
 * Skips the validation of documents, which other tests check. Optimizing the code of a check takes longer than running
 * it.
 */
const ajv = addFormats["default"](
  new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } }),
);
ajv.addFormat("int32", {
  type: "number",
  validate: (value: number) => Math.abs(value) < 2 ** 31,
});
ajv.addFormat("int64", { type: "number", validate: Number.isSafeInteger });

function buildValidator(document: Json): Validator {
  const templates = Object.keys(document.paths)
    .toSorted((a, b) => a.split("{").length - b.split("{").length)
    .map((template) => ({
      template,
      matches: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }));
  return { document, templates };
}

/** Compiled schemas by their content, because most collections of tests have the same schemas. */
const checksByContent = new Map<string, ValidateFunction>();
const checksBySchema = new WeakMap<object, ValidateFunction>();

/** Returns the check of a schema in this document. */
function checkOf(document: Json, schema: Json): ValidateFunction {
  const known = checksBySchema.get(schema);
  if (known) return known;
  const complete = completeSchema(document, schema);
  const content = JSON.stringify(complete);
  const check = checksByContent.get(content) ?? ajv.compile(complete);
  checksByContent.set(content, check);
  checksBySchema.set(schema, check);
  return check;
}

/**
 * Returns a schema with all schemas that it refers to. They are numbered, because names contain the key of the
 * collection.
 */
function completeSchema(document: Json, schema: Json): Json {
  const parts: Json[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (reference: string) => {
    const known = numbers.get(reference);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(reference, number);
    parts[number] = complete(resolveReference(document, { $ref: reference }));
    return number;
  };
  const complete = (part: Json): Json => {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(complete);
    const inner = Object.fromEntries(
      Object.entries(part).map(([key, value]) =>
        key === "$ref" ? [key, `#/$defs/${numberOf(value as string)}`] : [key, complete(value)],
      ),
    );
    return forbidsOtherMembers(part) ? { ...inner, additionalProperties: false } : inner;
  };
  return { ...complete(schema), $defs: parts };
}
/** Undocumented members are forbidden. The documents allow them, because responses may gain members in later versions. */
const forbidsOtherMembers = (part: Json) =>
  isObject(part.properties) && part.type === "object" && !("additionalProperties" in part);

function collectionOf(path: string, { body }: Answer): [CollectionKind, string | undefined] {
  const [, kind, key] = /^\/(app|form)s\/([^/]+)\/(?:records|submissions)/.exec(path) ?? [];
  if (kind === "app" || kind === "form") return [kind, key];
  return [
    "form",
    path.startsWith("/submissions/") ? (body?.form as string | undefined) : undefined,
  ];
}

/** Returns the known documents of a collection, unless its definition has just been replaced. */
function knownValidators(kind: CollectionKind, key: string): CollectionValidator[] | undefined {
  const name = `${kind} ${key}`;
  return replaced.has(name) ? undefined : validatorsByCollection.get(name);
}

/** Loads the current definition of a collection. Reading it for every response would double the time of the tests. */
async function loadValidators(kind: CollectionKind, key: string): Promise<CollectionValidator[]> {
  const name = `${kind} ${key}`;
  replaced.delete(name);
  const current = await findCollection(dataHandle, kind, key);
  if (!current) return [];
  const validators = validatorsByCollection.get(name) ?? [];
  const apps = await loadReferencedApps(current.collection);
  const versions = [current.collection, ...apps].map(({ version }) => version).join(".");
  if (!validators.some((validator) => validator.versions === versions)) {
    // A credential that sees the collection through a view gets the document of that view.
    const documents = [current.collection, ...narrowParts(current.collection)].flatMap(
      (collection) =>
        visibleApps(apps).map((visible) => ({
          versions,
          load: lazy(() =>
            buildValidator(openApiDocument(operations(), collection, host, visible)),
          ),
        })),
    );
    validators.unshift(...documents);
    validatorsByCollection.set(name, validators);
  }
  return validators;
}

/** Returns the parts of a collection that its views show. */
function narrowParts(collection: Collection): Collection[] {
  const compiled = compileCollection(collection);
  const views = collection.definition.views ?? [];
  return views.map((view) => narrowCollection(compiled, view, meOperand).collection);
}

/** Returns the apps that credentials may see: all apps as a whole, or one of them through a view. */
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

/** Describes how a response differs from the document. Undefined if it does not. */
function findMismatch(validator: Validator, method: string, path: string, answer: Answer) {
  const { document } = validator;
  const template = templateIn(validator, path);
  const operation = template && document.paths[template][method.toLowerCase()];
  // The service can return these statuses before it finds a route.
  if (!operation)
    return [401, 404, 405, 429].includes(answer.status) ? undefined : "no such operation";
  const { status, headers, body } = answer;
  const response = resolveReference(document, operation.responses[status]);
  if (!response) return `no answer ${status}`;
  const mismatch = findHeaderMismatch(document, response.headers ?? {}, headers);
  if (mismatch !== undefined) return mismatch;
  const type = (headers.get("Content-Type") ?? "").split(";")[0] ?? "";
  const { content } = response;
  if (!content) return type === "" ? undefined : `no content ${type}`;
  // Files have any type.
  if (content["*/*"] && answer.status < 300) return undefined;
  if (!content[type]) return `no content ${type}`;
  if (body === undefined) return undefined;
  const check = checkOf(document, content[type].schema);
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
    const { required, schema } = resolveReference(document, header) ?? {};
    const value = headers.get(name);
    if (value === null && required) return `the header ${name} is missing`;
    if (value === null) continue;
    const parsed = schema.type === "integer" ? Number(value) : value;
    const check = checkOf(document, schema);
    if (!check(parsed)) return `${name}: ${value}: ${ajv.errorsText(check.errors)}`;
  }
  return undefined;
}

function templateIn({ templates }: Validator, path: string): string | undefined {
  return templates.find(({ matches }) => matches.test(path))?.template;
}

/** Returns a part of the document, or the part that it refers to. */
function resolveReference(document: Json, part: Json): Json {
  if (!part?.$ref) return part;
  const steps = (part.$ref as string).slice(2).split("/");
  return steps.reduce((parent, step) => parent[step], document);
}
