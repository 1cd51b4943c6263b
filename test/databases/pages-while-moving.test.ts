import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import type { Client } from "../support/client";
import { announce, upload } from "../support/files";
import { isApiPath, pathWith, routes } from "../support/routes";
import { freshKey } from "../support/service";
import { area, databasesOf, home, isolate, migrate, newCaller, useOnly } from "./installation";
import { finish, letTimePass, phaseOf, request, scheduleContext, type Names } from "./moves";

// Every page and list shows an app or form once, whatever a move has done so far.

/** They show the move itself. */
const ofMoves = ["/admin/settings/databases", "/admin/settings/databases/move"];
const withoutSession = ["/admin/setup", "/admin/sign-in", "/admin/join/:secret"];
const excluded = [...ofMoves, ...withoutSession, "/admin/reset/:reset"];
/** What pages without parameters need to show something of the form. */
const queries: Record<string, string> = {
  "/admin/search": "?q=Hanako",
  "/admin/apps/:key/items/choices": "?q=Acme",
};

let caller: Client;
let several: Client;
/** Pages show what `several` has done, so another credential reads. */
let reader: Client;
let parameters: Record<"app" | "form", { key: string; id: string; version: string }>;
let shared: Record<"webhook" | "credential" | "file" | "search", string>;
let key: string;

/** Creates an app, and a form that refers to it and needs attention, with all that pages show of them. */
async function makeWorld(database: Names): Promise<void> {
  await useOnly(database);
  const target = freshKey("customers");
  key = freshKey("visible");
  const text = { key: "title", type: "text" };
  await several.put(`/apps/${target}/schema`, { fields: [text], title_field: "title" });
  const definition = {
    name: "Visible",
    fields: [
      text,
      { key: "customer", type: "reference", app: target },
      { key: "invoices", type: "files" },
    ],
    acceptance: { state: "open", max_submissions: 4 },
    retain: { days: 1, only: "all" },
    views: [{ key: "all", name: "All" }],
  };
  const { status, text: problem } = await several.put(`/forms/${key}/schema`, definition);
  expect([status, problem]).toEqual([201, expect.any(String)]);
  await useOnly("DATA_01", "DATA_02");
  const { body: record } = await several.post(`/apps/${target}/records`, {
    data: { title: "Acme" },
  });
  const file = await upload(several, `form:${key}`);
  const data = { title: "Hanako", customer: record.id, invoices: [file] };
  const { body: item } = await several.post(`/forms/${key}/submissions`, { data });
  await several.patch(`/submissions/${item.id}`, { data: { title: "Hanako Yamada" } });
  for (const title of ["b", "c", "d"])
    await several.post(`/forms/${key}/submissions`, { data: { title } });
  await several.patch(`/forms/${key}/schema`, { description: "changed" });
  await announce(several, `form:${key}`);
  const hook = { name: "All", url: "https://receiver.example/hook", types: ["record.created"] };
  const { body: webhook } = await several.post("/webhooks", { ...hook, collections: "all" });
  const { items } = (await area("/integrations")).body;
  const { id: search } = (await area("/people", { text: "Hanako Yamada" })).body;
  parameters = {
    app: { key: target, id: record.id, version: "1" },
    form: { key, id: item.id, version: "2" },
  };
  shared = { webhook: webhook.id, credential: items.at(-1).id, file, search };
}

/** The pages and the GETs of the API that may show something of the form or its app. */
function pages(which: "all" | "list"): string[] {
  return [...routes.values()].flatMap(({ method, path }) => {
    const isShown = path.startsWith("/admin") || isApiPath(path);
    if (method !== "GET" || !isShown || excluded.includes(path)) return [];
    if (which === "list" && path.includes(":")) return [];
    return [pathWith(path, parametersOf(path)) + (queries[path] ?? "")];
  });
}

function parametersOf(path: string): Record<string, string> {
  if (path.includes("/apps/")) return parameters.app;
  if (path.includes("/webhooks/")) return { id: shared.webhook };
  if (path.includes("/integrations/")) return { id: shared.credential };
  if (path.includes("/files/")) return { id: shared.file };
  if (path.includes("/people/")) return { id: shared.search };
  return parameters.form;
}

/** The status and the text of a response, without what differs between two requests and the counts of this test's calls. */
async function read(path: string): Promise<string> {
  const { status, text } = isApiPath(path)
    ? await reader.get(path.slice("/api/v1".length))
    : await area(path.replace(/^\/admin/, ""), undefined, { headers: { Accept: "text/html" } });
  return `${status} ${text.replaceAll(ofRequest, "")}`;
}

const ofRequest =
  /Request ID <code>[\w-]+|cursor=[\w-]+|"request_id":"[^"]+"|nonce="[^"]+"|<h2>Requests .*?<\/figure>|data-label="Requests, 24 hours">.*?<\/td>/g;

async function readAll(paths: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of paths) found.set(path, await read(path));
  return found;
}

/** What two texts have between their common start and end. */
function difference(one = "", other = ""): string[] {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [context, length] = [40, 400];
  return [one, other].map((text) => text.slice(Math.max(0, start - context), start + length));
}

beforeAll(async () => {
  await migrate();
  caller = await newCaller();
  several = isolate(caller);
  reader = isolate(await newCaller());
});
afterEach(() => vi.useRealTimers());

function expectSame(expected: Map<string, string>, shown: Map<string, string>): void {
  const differing = Array.from(expected).filter(([path, text]) => shown.get(path) !== text);
  expect(differing.map(([path, text]) => [path, ...difference(text, shown.get(path))])).toEqual([]);
}

const move = () => `form:${key}`;

/** Runs the schedule until the move reaches a phase. */
async function runUntil(phase: string): Promise<void> {
  for (let runs = 0; runs < 10 && (await phaseOf(move())) !== phase; runs += 1) {
    await runMoves(scheduleContext());
    if ((await phaseOf(move())) === phase) return;
    const early = "announced_at = announced_at - 100000, leased_until = 0";
    await home.prepare(`update collection_move set ${early}`).run();
  }
}

/** The other order of the databases finds what lets the last one decide. */
const directions = [
  { source: "DATA_01", target: "DATA_02", which: "all" },
  { source: "DATA_02", target: "DATA_01", which: "list" },
] as const;

describe.each(directions)("While an app and a form move", ({ source, target, which }) => {
  it(`to ${target}, ${which} pages show them once and as they are`, async () => {
    await makeWorld(source);
    // Pages say how long ago something happened, and when secrets will expire.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const paths = pages(which);
    const before = await readAll(paths);
    expect(before.get("/admin")).toContain("Visible");
    await request(move(), target);
    await runUntil("following");
    expectSame(before, await readAll(paths));
    await runUntil("retiring");
    expect(await databasesOf(key)).toEqual(["DATA_01", "DATA_02"]);
    expectSame(before, await readAll(paths));

    const { app: record, form: item } = parameters;
    await several.patch(`/apps/${record.key}/records/${record.id}`, { data: { title: "Acme 2" } });
    await several.patch(`/submissions/${item.id}`, { data: { title: "Hanako Mori" } });
    await several.patch(`/forms/${key}/schema`, { name: "Renamed" });
    const changed = await readAll(paths);
    expect(changed.get("/admin")).toContain("Renamed");
    expect(changed.get("/admin")).not.toContain("Visible");
    await letTimePass();
    await finish(move());
    expect(await databasesOf(key)).toEqual([target]);
    expectSame(changed, await readAll(paths));
    await home.prepare("update collection_move set erase_at = 1").run();
    await runUntil("done");
    expectSame(changed, await readAll(paths));
  }, 120_000);
});
