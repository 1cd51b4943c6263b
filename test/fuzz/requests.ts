import fc from "fast-check";
import { Client, host, type Answer, type Json } from "../support/client";
import { bodies, parametersOf, spendAfter } from "../support/right-requests";
import { routes } from "../support/routes";
import { world, type World } from "../support/world";
import { sendChecked, type FuzzRequest } from "./violations";
import { applyMutations, anyMutation } from "./mutations";
import {
  authorizations,
  form,
  headers,
  html,
  json,
  otherBodies,
  otherJson,
  properties,
  queries,
  segments,
  contentTypes,
} from "./parts";
import { serialize } from "./values";

/** Random requests: valid ones with random changes. */

/** An object whose conversion to text throws. */
export const unprintable: Json = { toString: null, valueOf: null };
/** Values that break careless code at any place. */
const oddValue = fc.constantFrom<Json>(null, {}, [null], unprintable, "raw:deep_lists");
const oddReplacement = fc.record({
  change: fc.constant("replace" as const),
  at: fc.nat(15),
  value: oddValue,
});
const mutations = fc.oneof(
  { weight: 2, arbitrary: fc.array(oddReplacement, { minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.array(anyMutation(properties), { maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(anyMutation(properties), { maxLength: 4 }) },
);
const garbage = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(otherJson)) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(otherBodies)) },
);

const header = fc.oneof(
  ...Object.entries(headers).map(([name, values]) =>
    fc.tuple(fc.constant(name), fc.constantFrom(...values)),
  ),
);

type QueryPart = string | { cursor: number; changed: number | null };

/** Query parts. Most routes must reject the cursors, which belong to the list of the form. */
const pair: fc.Arbitrary<QueryPart> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...queries) },
  { weight: 1, arbitrary: fc.record({ cursor: fc.nat(1), changed: fc.option(fc.nat(60)) }) },
);

const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** Everything except the body. Most parts stay valid, since one invalid part hides the errors of the others. */
const envelope = fc.record({
  type: optional(fc.constantFrom(...contentTypes)),
  headers: fc.array(header, { maxLength: 2 }),
  query: fc.array(pair, { maxLength: 2 }),
  segment: optional(fc.record({ at: fc.nat(2), text: fc.constantFrom(...segments) })),
  method: optional(
    fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "get"),
  ),
  authorization: optional(fc.constantFrom(...authorizations)),
});
const validEnvelope: typeof envelope extends fc.Arbitrary<infer Envelope> ? Envelope : never = {
  type: null,
  headers: [],
  query: [],
  segment: null,
  method: null,
  authorization: null,
};

/** Routes that hash passwords, which takes as long as thirty other requests. */
export const slowRoutes = /\/(sign-in|setup|password)$|\/join\//;

/** Random requests to these routes. */
export function requestCase(names: readonly string[]) {
  const withBody = names.filter((name) => name in bodies && !slowRoutes.test(name));
  return fc.record({
    route: fc.oneof(
      fc.constantFrom(...names),
      // Routes with a body have more that can be invalid.
      { weight: 3, arbitrary: fc.constantFrom(...(withBody.length > 0 ? withBody : names)) },
    ),
    body: fc.oneof(
      {
        weight: 3,
        // Sends half of them as browsers send forms, on routes that accept forms.
        arbitrary: fc.record({ mutations, asForm: fc.boolean() }),
      },
      { weight: 1, arbitrary: fc.record({ garbage }) },
    ),
    accept: fc.constantFrom<string>(json, html),
    streamed: fc.boolean(),
    envelope: fc.oneof(
      { weight: 1, arbitrary: fc.constant(validEnvelope) },
      { weight: 1, arbitrary: envelope },
    ),
  });
}

export type RequestCase =
  ReturnType<typeof requestCase> extends fc.Arbitrary<infer Case> ? Case : never;

/** A valid request to the route. */
export const validCase = (route: string): RequestCase => ({
  route,
  body: { mutations: [], asForm: false },
  accept: json,
  streamed: false,
  envelope: validEnvelope,
});

let addressCount = 0;

/** Sends the request. Throws a `Violation` for a response that breaks a rule. */
export async function sendCase(request: RequestCase): Promise<Answer> {
  const worldData = await world();
  const needsCursors = request.envelope.query.some((part) => typeof part !== "string");
  const answer = await sendChecked(
    buildRequest(request, worldData, needsCursors ? await cursorsOf(worldData) : []),
  );
  if (answer.status < 400) spendAfter(request.route);
  return answer;
}

type Cursors = (string | null)[];

const cursorsByForm = new Map<string, Cursors>();

/** Cursors of the list of the form and of a search without conditions. */
async function cursorsOf({ bearer, form: { key } }: World): Promise<Cursors> {
  const cached = cursorsByForm.get(key);
  if (cached) return cached;
  const client = new Client(bearer);
  const path = `/forms/${key}/submissions`;
  const pages = [
    await client.get(`${path}?limit=1`),
    await client.post(`${path}/search`, { limit: 1 }),
  ];
  const cursors = pages.map(({ body }) => new URL(body.links.next).searchParams.get("cursor"));
  cursorsByForm.set(key, cursors);
  return cursors;
}

function buildRequest(request: RequestCase, worldData: World, cursors: Cursors): FuzzRequest {
  const route = routes.get(request.route) ?? { method: "GET", path: "/" };
  const method = request.envelope.method ?? route.method;
  const { authorization } = request.envelope;
  addressCount += 1;
  const address = `10.${(addressCount >> 16) & 255}.${(addressCount >> 8) & 255}.${addressCount & 255}`;
  const { type, body } = bodyOf(request, worldData);
  const hasBody = body !== undefined && !/^(get|head)$/i.test(method);
  return {
    method,
    url: host + pathOf(request, worldData) + queryOf(request.envelope, cursors),
    headers: {
      // A new address each time: the service limits addresses with many failures.
      "CF-Connecting-IP": address,
      Accept: request.accept,
      ...credentialOf(route.path, worldData),
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(hasBody ? { "Content-Type": request.envelope.type ?? type } : {}),
      ...Object.fromEntries(request.envelope.headers),
    },
    body: hasBody ? body : undefined,
    isStreamed: request.streamed,
  };
}

function credentialOf(path: string, worldData: World): Record<string, string> {
  if (path.startsWith("/api/") || path === "/mcp")
    return { Authorization: `Bearer ${worldData.bearer}` };
  if (!path.startsWith("/admin")) return {};
  // Signing in and out ends the session of the request.
  const needsSession = !/\/(sign-in|sign-out|setup)$|\/join\//.test(path);
  return { Cookie: needsSession ? worldData.cookie : "__Host-session=another" };
}

function pathOf({ route: name, envelope: { segment } }: RequestCase, worldData: World): string {
  const route = routes.get(name);
  if (!route) return "/";
  const parameters = parametersOf(route, worldData);
  const count = route.path.split("/:").length - 1;
  let index = -1;
  return route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    index += 1;
    return segment && segment.at % count === index ? segment.text : (parameters[parameter] ?? "x");
  });
}

function queryOf({ query }: RequestCase["envelope"], cursors: Cursors): string {
  const pairs = query.map((part) => {
    if (typeof part === "string") return part;
    const cursor = cursors[part.cursor] ?? "";
    const { changed } = part;
    if (changed === null) return `cursor=${cursor}`;
    return `cursor=${cursor.slice(0, changed)}A${cursor.slice(changed + 1)}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function bodyOf({ route, body }: RequestCase, worldData: World) {
  const validBody = bodies[route]?.(worldData) ?? {};
  const isForm = route.includes("/oauth/");
  if ("garbage" in body) {
    const makeBody = { ...otherJson, ...otherBodies }[body.garbage];
    return {
      type: isForm ? form : json,
      body: makeBody?.(isForm ? formOf(validBody) : serialize(validBody)),
    };
  }
  const document = applyMutations(validBody, body.mutations);
  if (document instanceof Uint8Array) return { type: "application/octet-stream", body: document };
  const asForm = isForm || (body.asForm && route.includes("/admin/"));
  return asForm
    ? { type: form, body: formOf(document) }
    : { type: json, body: serialize(document) };
}

/** Encodes a document as browsers send forms, with names like `lines[0].sku`. */
function formOf(document: Json): string {
  const pairs = pairsOf(document?.data ?? document, "");
  return new URLSearchParams(pairs).toString();
}

function pairsOf(node: Json, name: string): [string, string][] {
  if (node === null || node === undefined) return [[name, ""]];
  if (typeof node !== "object") return [[name, plainText(node)]];
  return Object.entries(node).flatMap(([step, child]) => {
    if (!Array.isArray(node)) return pairsOf(child, name === "" ? step : `${name}.${step}`);
    return pairsOf(child, typeof child === "object" ? `${name}[${step}]` : name);
  });
}

function plainText(node: Json): string {
  const serialized = serialize(node);
  return serialized.startsWith('"') ? JSON.parse(serialized) : serialized;
}
