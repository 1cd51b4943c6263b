import { filePaths } from "#domain/api-paths.ts";
import { permissions, permissionsAllow, type Permission } from "#domain/credential/permissions.ts";
import type { ApiCode } from "#domain/problem/catalogue.ts";
import type { Description, Descriptions } from "./description.ts";
import type { Examples } from "./examples.ts";
import type { ResourceNames } from "./names.ts";
import { errorResponses, jsonContent, responseObject } from "./responses.ts";
import { keyName, ref, type Schema } from "./schema.ts";

/** The names of the items that operations work on, and examples of them. */
export interface DescribedResource {
  names: ResourceNames | null;
  examples: Examples;
}

/** Returns the path items of these operations. With a key, they describe the operations of one app or form. */
export function pathItems(operations: Descriptions, resource: DescribedResource): Schema {
  const items: Record<string, Schema> = {};
  for (const [id, op] of Object.entries(operations)) {
    const parameters = pathParameters(op, resource);
    const item = (items[pathTemplate(op, resource)] ??=
      parameters.length > 0 ? { parameters } : {});
    item[op.method.toLowerCase()] = operationObject(id, op, resource);
  }
  return items;
}

/** Returns the path in OpenAPI's syntax. */
function pathTemplate({ path, kind }: Description, { names }: DescribedResource): string {
  return path.replace(/:(\w+)/g, (_, name: string) =>
    name === "key" ? (names?.key ?? `{${kind}}`) : `{${name}}`,
  );
}

function pathParameters({ path, kind }: Description, { names }: DescribedResource): Schema[] {
  const components: Record<string, string | null> = {
    key: names?.key === undefined ? `${kind}Key` : null,
    id: names ? `${names.schemaName}Id` : path.startsWith(filePaths.list) ? "fileId" : "webhookId",
    delivery: "deliveryId",
  };
  const componentNames = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => components[name]);
  return componentNames.flatMap((name) => (name ? [ref("parameters", name)] : []));
}

/** Returns the object of one operation. It is derived completely from the operation's declaration. */
function operationObject(id: string, op: Description, resource: DescribedResource): Schema {
  const key = resource.names?.key;
  const prefix = key === undefined ? "" : keyName(key);
  const scopes = sufficientPermissions(op).map((permission) => ({ client: [permission] }));
  const parameters = parameterNames(op, key !== undefined).map((name) => ref("parameters", name));
  return {
    tags: [op.tag],
    operationId: id.replace(/Record|Submission|App|Form/, (noun) => prefix + noun),
    summary: op.summary,
    description: op.description,
    security: [
      { bearer: [] },
      ...(scopes.length > 0 ? scopes : [{ client: [] }]),
      ...(op.takesLink ? [{}] : []),
    ],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(op.body ? { requestBody: { required: true, content: bodyContent(op, resource) } } : {}),
    ...(op.fileContent === "request"
      ? { requestBody: { required: true, content: { "application/octet-stream": bytesSchema } } }
      : {}),
    responses: {
      ...successResponses(op, resource),
      ...errorResponses(problemCodes(op), {
        needsPermission: op.permission !== null,
        mayBeMissing: op.target.mayBeMissing,
        takesLink: op.takesLink ?? false,
      }),
    },
  };
}

/** Returns the permissions that each suffice alone. Empty if every credential may call the operation. */
function sufficientPermissions({ permission }: Description): readonly Permission[] {
  if (permission === null) return [];
  if (typeof permission !== "string") {
    const choices = "anyOf" in permission ? permission.anyOf : permission.oneOf;
    if ("anyOf" in permission) return choices;
    return permissions.filter((candidate) =>
      choices.some((choice) => permissionsAllow([candidate], choice)),
    );
  }
  return permissions.filter((candidate) => permissionsAllow([candidate], permission));
}

function parameterNames(op: Description, isOfOneCollection: boolean): string[] {
  const { effect, precondition, parameterComponents = {} } = op;
  const isRead = precondition === "If-None-Match";
  return [
    ...(effect === "create" ? ["idempotencyKey"] : []),
    ...(precondition && !isRead ? ["ifMatch"] : []),
    // In the document of one app or form, the collection already exists. `If-None-Match: *` would always fail.
    ...(precondition === "both" ? [isOfOneCollection ? "ifNoneMatch" : "ifNoneMatchAny"] : []),
    ...Object.keys(op.query().shape).map((name) => parameterComponents[name] ?? name),
    ...(isRead ? ["ifNoneMatch"] : []),
    ...(op.fileContent === "response" ? ["range"] : []),
  ];
}

function problemCodes({ body, fileContent, precondition, problems = [] }: Description): ApiCode[] {
  return [
    "invalid_input",
    ...(body ? (["malformed_json", "too_large", "unsupported_media_type"] as const) : []),
    ...(fileContent === "request" ? (["too_large", "unsupported_media_type"] as const) : []),
    ...(precondition || fileContent === "request" ? (["malformed_header"] as const) : []),
    ...(precondition && precondition !== "If-None-Match" ? (["version_mismatch"] as const) : []),
    ...problems,
  ];
}

const bytesSchema = { schema: { type: "string", format: "binary" } };

function bodyContent({ body }: Description, resource: DescribedResource): Schema {
  const schema = schemaRef(body?.schema, resource);
  return {
    ...jsonContent(schema, body?.example?.(resource.examples)),
    ...Object.fromEntries((body?.types ?? []).map((type) => [type, { schema }])),
  };
}

const documentSchema = { type: "object", additionalProperties: true };

type SchemaName = NonNullable<Description["body"]>["schema"];

function schemaRef(schema: SchemaName, { names }: DescribedResource): Schema {
  // Operations without a schema return an OpenAPI document.
  if (schema === undefined) return documentSchema;
  if (typeof schema === "string") return ref("schemas", schema);
  if (!names) throw new Error("The name of a schema of items needs a kind.");
  return ref("schemas", schema(names));
}

function successResponses(op: Description, resource: DescribedResource): Schema {
  const isPage = op.method === "GET" && "limit" in op.query().shape;
  const documentedResponses = Object.entries(op.responses).filter(
    ([, { isForNewCollections }]) => !isForNewCollections || resource.names?.key === undefined,
  );
  const responses = documentedResponses.map(
    ([status, { description, schema, example, headers = [] }]) => {
      const content =
        op.fileContent === "response"
          ? { "*/*": bytesSchema }
          : {
              ...jsonContent(schemaRef(schema, resource), example?.(resource.examples)),
              ...otherContent(op),
            };
      const headerNames = [
        ...headers,
        ...(op.effect === "create" ? ["Idempotent-Replayed", "Idempotency-Key-Mismatch"] : []),
        ...(isPage || op.formats === "downloads" ? ["Link"] : []),
        ...(op.formats === "downloads" ? ["Content-Disposition"] : []),
      ];
      const isEmpty = status === "204";
      return [
        status,
        responseObject(description, isEmpty ? undefined : content, headerNames, op.takesLink),
      ];
    },
  );
  const isConditional = op.precondition === "If-None-Match";
  const notModified = responseObject("Your copy is current.", undefined, ["ETag"], op.takesLink);
  return { ...Object.fromEntries(responses), ...(isConditional ? { "304": notModified } : {}) };
}

function otherContent({ formats }: Description): Schema {
  // Without schemas, generators give the operation the type of a page rather than of a stream or a text.
  if (formats === "downloads") return { "application/x-ndjson": {}, "text/csv": {} };
  return formats === "openapi"
    ? { "application/vnd.oai.openapi+json": { schema: documentSchema } }
    : {};
}
