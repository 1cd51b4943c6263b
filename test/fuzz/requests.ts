import fc from "fast-check";
import { Client, host, type Answer, type Json } from "../support/client";
import { bodies, parametersOf, spendAfter } from "../support/right-requests";
import { routes } from "../support/routes";
import { world, type World } from "../support/world";
import { ask, type Asked } from "./judge";
import { mutated, mutation } from "./mutations";
import {
  authorizations,
  form,
  headers,
  html,
  json,
  noJson,
  otherJson,
  properties,
  queries,
  segments,
  types,
} from "./parts";
import { written } from "./values";

/** Random requests: right ones of which some parts are changed. */

/** What is no text, and cannot be made one. */
export const textless: Json = { toString: null, valueOf: null };
/** What makes careless code fail wherever it comes up. */
const odd = fc.constantFrom<Json>(null, {}, [null], textless, "raw:deep_lists");
const oddity = fc.record({ change: fc.constant("replace" as const), at: fc.nat(15), value: odd });
const mutations = fc.oneof(
  { weight: 2, arbitrary: fc.array(oddity, { minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.array(mutation(properties), { maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(mutation(properties), { maxLength: 4 }) },
);
const garbage = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(otherJson)) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(noJson)) },
);

const header = fc.oneof(
  ...Object.entries(headers).map(([name, values]) =>
    fc.tuple(fc.constant(name), fc.constantFrom(...values)),
  ),
);

type Pair = string | { cursor: number; changed: number | null };

/** A cursor of the form is another list's in most places. */
const pair: fc.Arbitrary<Pair> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...queries) },
  { weight: 1, arbitrary: fc.record({ cursor: fc.nat(1), changed: fc.option(fc.nat(60)) }) },
);

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** All that is not the body. Each of it hides what is behind it, so that most of it is right. */
const rest = fc.record({
  type: sometimes(fc.constantFrom(...types)),
  headers: fc.array(header, { maxLength: 2 }),
  query: fc.array(pair, { maxLength: 2 }),
  segment: sometimes(fc.record({ at: fc.nat(2), text: fc.constantFrom(...segments) })),
  method: sometimes(
    fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "get"),
  ),
  authorization: sometimes(fc.constantFrom(...authorizations)),
});
const right: typeof rest extends fc.Arbitrary<infer Rest> ? Rest : never = {
  type: null,
  headers: [],
  query: [],
  segment: null,
  method: null,
  authorization: null,
};

/** Passwords are hashed there, which takes as long as thirty other requests. */
export const slow = /\/(sign-in|setup|password)$|\/join\//;

/** Requests of these routes. */
export function requestCase(names: readonly string[]) {
  const takers = names.filter((name) => name in bodies && !slow.test(name));
  return fc.record({
    route: fc.oneof(
      fc.constantFrom(...names),
      // What takes a body has more that can be wrong.
      { weight: 3, arbitrary: fc.constantFrom(...(takers.length > 0 ? takers : names)) },
    ),
    body: fc.oneof(
      {
        weight: 3,
        // Where the route takes them, half of them are sent as browsers send forms.
        arbitrary: fc.record({ mutations, asForm: fc.boolean() }),
      },
      { weight: 1, arbitrary: fc.record({ garbage }) },
    ),
    accept: fc.constantFrom<string>(json, html),
    streamed: fc.boolean(),
    rest: fc.oneof({ weight: 1, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: rest }),
  });
}

export type RequestCase =
  ReturnType<typeof requestCase> extends fc.Arbitrary<infer Case> ? Case : never;

/** The case of a request that nothing is wrong with. */
export const plain = (route: string): RequestCase => ({
  route,
  body: { mutations: [], asForm: false },
  accept: json,
  streamed: false,
  rest: right,
});

let addresses = 0;

/** Sends it; what the answer may not be is thrown. */
export async function send(each: RequestCase): Promise<Answer> {
  const now = await world();
  const asksForPage = each.rest.query.some((one) => typeof one !== "string");
  const answer = await ask(requestOf(each, now, asksForPage ? await cursorsOf(now) : []));
  if (answer.status < 400) spendAfter(each.route);
  return answer;
}

type Cursors = (string | null)[];

const known = new Map<string, Cursors>();

/** Cursors of the form's list and of a search for everything. */
async function cursorsOf({ bearer, form: { key } }: World): Promise<Cursors> {
  const kept = known.get(key);
  if (kept) return kept;
  const by = new Client(bearer);
  const path = `/forms/${key}/submissions`;
  const pages = [await by.get(`${path}?limit=1`), await by.post(`${path}/search`, { limit: 1 })];
  const cursors = pages.map(({ body }) => new URL(body.links.next).searchParams.get("cursor"));
  known.set(key, cursors);
  return cursors;
}

function requestOf(each: RequestCase, now: World, cursors: Cursors): Asked {
  const route = routes.get(each.route) ?? { method: "GET", path: "/" };
  const method = each.rest.method ?? route.method;
  const { authorization } = each.rest;
  addresses += 1;
  const address = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
  const { type, body } = bodyOf(each, now);
  const hasBody = body !== undefined && !/^(get|head)$/i.test(method);
  return {
    method,
    url: host + pathOf(each, now) + queryOf(each.rest, cursors),
    headers: {
      // An address that fails too often is told to wait, and here they all fail often.
      "CF-Connecting-IP": address,
      Accept: each.accept,
      ...credentialOf(route.path, now),
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(hasBody ? { "Content-Type": each.rest.type ?? type } : {}),
      ...Object.fromEntries(each.rest.headers),
    },
    body: hasBody ? body : undefined,
    streamed: each.streamed,
  };
}

function credentialOf(path: string, now: World): Record<string, string> {
  if (path.startsWith("/api/") || path === "/mcp") return { Authorization: `Bearer ${now.bearer}` };
  if (!path.startsWith("/admin")) return {};
  // Signing in and out ends the session that is sent.
  const own = !/\/(sign-in|sign-out|setup)$|\/join\//.test(path);
  return { Cookie: own ? now.cookie : "__Host-session=another" };
}

function pathOf({ route: name, rest: { segment } }: RequestCase, now: World): string {
  const route = routes.get(name);
  if (!route) return "/";
  const parameters = parametersOf(route, now);
  const count = route.path.split("/:").length - 1;
  let at = -1;
  return route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    at += 1;
    return segment && segment.at % count === at ? segment.text : (parameters[parameter] ?? "x");
  });
}

function queryOf({ query }: RequestCase["rest"], cursors: Cursors): string {
  const pairs = query.map((each) => {
    if (typeof each === "string") return each;
    const cursor = cursors[each.cursor] ?? "";
    const { changed } = each;
    if (changed === null) return `cursor=${cursor}`;
    return `cursor=${cursor.slice(0, changed)}A${cursor.slice(changed + 1)}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function bodyOf({ route, body }: RequestCase, now: World) {
  const taken = bodies[route]?.(now) ?? {};
  const isForm = route.includes("/oauth/");
  if ("garbage" in body) {
    const made = { ...otherJson, ...noJson }[body.garbage];
    return { type: isForm ? form : json, body: made?.(isForm ? formOf(taken) : written(taken)) };
  }
  const document = mutated(taken, body.mutations);
  const asForm = isForm || (body.asForm && route.includes("/admin/"));
  return asForm ? { type: form, body: formOf(document) } : { type: json, body: written(document) };
}

/** As a browser sends it: rows of lists with names like `lines[0].sku`. */
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
  const sent = written(node);
  return sent.startsWith('"') ? JSON.parse(sent) : sent;
}
