import { describe, expect, it } from "vitest";
import { Client, type Answer, type Json } from "../support/client";
import { rightRequest } from "../support/right-requests";
import { routeName } from "../support/routes";
import { client, everything } from "../support/service";

import { document, documentedResponses, names, send, type ValidRequest } from "./documented";

const tooLarge = JSON.stringify({ data: "x".repeat(1_100_000) });
const otherPermission = (name: string) =>
  name.includes("webhooks") ? "records:read" : "webhooks:manage";
const missingParameters = {
  key: "nowhere",
  id: "sub_01KAHV3M4E7XQ2R5T8W9YZB6CD",
  delivery: "dlv_9",
};

function codesOf(response: Json): string[] {
  const resolve = (ref: string): Json =>
    ref
      .slice(2)
      .split("/")
      .reduce((part, step) => part[step], document);
  const { content = {} } = response.$ref ? resolve(response.$ref) : response;
  const schema = content["application/problem+json"]?.schema;
  const schemas: Json[] = schema?.oneOf ?? (schema ? [schema] : []);
  return schemas.map(({ $ref }) => resolve($ref).properties.code.const);
}

const clientsByPermission = new Map<string, Promise<Client>>();
function clientWith(permission: string): Promise<Client> {
  const known = clientsByPermission.get(permission) ?? client({ permissions: [permission] });
  clientsByPermission.set(permission, known);
  return known;
}

let clientElsewhere: Promise<Client> | undefined;

/** Whether the body is the content of a file. */
const isContent = ({ path }: ValidRequest) => path.endsWith("/content");

/** Sends a request that makes any route respond with this problem code. */
const requestsByCode: Record<string, (name: string, request: ValidRequest) => Promise<Answer>> = {
  unauthenticated: (_, request) => send(request, {}, new Client("nothing")),
  permission_required: async (name, request) =>
    send(request, {}, await clientWith(otherPermission(name))),
  not_found: async (name, request) => {
    if (name === routeName("getDocument"))
      return send({ ...request, path: `${request.path}?apps=x` });
    if (name.includes("/webhooks")) return send(await rightRequest(name, missingParameters));
    return send(request, {}, await (clientElsewhere ??= client({ resources: ["app:another"] })));
  },
  invalid_input: (_, request) => send({ ...request, path: `${request.path}?nonsense=1` }),
  malformed_json: (_, request) => send({ ...request, body: "{" }),
  malformed_header: (_, request) =>
    send(request, {
      "If-Match": "x y",
      "If-None-Match": "x y",
      "Content-Range": "bytes 0-1/2",
    }),
  unsupported_media_type: async (_, request) => {
    const encoded = await send(request, { "Content-Encoding": "br" });
    const encodings = isContent(request) ? "identity" : "gzip, identity";
    expect([encoded.status, encoded.headers.get("Accept-Encoding")]).toEqual([415, encodings]);
    return isContent(request) ? encoded : send(request, { "Content-Type": "text/plain" });
  },
  too_large: (_, request) =>
    isContent(request)
      ? send(request, { "Content-Length": "999999999" })
      : send({ ...request, body: tooLarge }),
  version_mismatch: (_, request) =>
    request.path.endsWith("/batch")
      ? send({ ...request, body: withWrongVersion(request.body) })
      : send(request, { "If-Match": '"999"' }),
  rate_limited: async (_, request) => {
    const limitedClient = await client({ permissions: everything, requests: 1, writes: 1 });
    await limitedClient.get("/me");
    return send(request, {}, limitedClient);
  },
};

const withWrongVersion = ({ operations }: Json) => ({
  operations: operations
    .filter(({ op }: Json) => op === "update")
    .map((operation: Json) => ({ ...operation, if_match: '"999"' })),
});

describe("Documented responses", () => {
  it.each(names)("%s returns its documented problems", async (name) => {
    const request = await rightRequest(name);
    const codes = Object.values<Json>(documentedResponses(name)).flatMap(codesOf);
    for (const code of codes.filter((documented) => documented in requestsByCode)) {
      const answer = await requestsByCode[code]?.(name, request);
      expect([code, answer?.body?.code, answer?.text]).toEqual([code, code, answer?.text]);
    }
  });
});
