import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { speak } from "../mcp/mcp-client";
import { Client, type Answer } from "../support/client";
import { withEveryDb } from "../support/databases";
import { client, issue, makeForm } from "../support/service";
import { serve } from "../support/serve";

const never = () => new Promise<never>(() => {});

/** A database that never answers a query. */
const silentDatabase = (db: D1Database): D1Database =>
  new Proxy(db, {
    get(target, name) {
      if (name === "batch") return never;
      if (name === "withSession")
        return (first: string) => silentDatabase(target.withSession(first) as never);
      if (name === "prepare") return () => silentStatement;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const silentStatement = {
  bind: () => silentStatement,
  all: never,
  run: never,
  raw: never,
  first: never,
};

/** Sends requests to a service that has read nothing and whose database is silent. */
const withSilentDatabase = (caller: Client) =>
  caller.through((request) =>
    serve(request, withEveryDb(env, silentDatabase), createExecutionContext()),
  );

const timeout = (milliseconds: number) =>
  scheduler.wait(milliseconds).then(() => "still waiting" as const);

describe("A refusal does not wait for a read that started early", () => {
  let form: string;
  let id: string;
  let appsOnly: Client;
  let creator: Client;
  beforeAll(async () => {
    const caller = await client();
    form = await makeForm(caller);
    id = (await caller.post(`/forms/${form}/submissions`, { data: {} })).body.id;
    const { token } = await issue({ resources: ["app:other"] });
    appsOnly = withSilentDatabase(new Client(token));
    const { token: creatorToken } = await issue({ permissions: ["submissions:create"] });
    creator = withSilentDatabase(new Client(creatorToken));
  });
  const answerOf = (answer: Promise<Answer>) => Promise.race([answer, timeout(1500)]);

  it.each<[string, () => Promise<Answer>, number]>([
    ["404 to GET", () => appsOnly.get(`/submissions/${id}`), 404],
    ["404 to PATCH", () => appsOnly.patch(`/submissions/${id}`, { data: {} }), 404],
    ["404 to DELETE", () => appsOnly.delete(`/submissions/${id}`), 404],
    ["403 to GET without submissions:read", () => creator.get(`/submissions/${id}`), 403],
    ["404 to GET of a hidden schema", () => appsOnly.get(`/forms/${form}/schema`), 404],
  ])("returns %s", async (_, send, status) => {
    expect(await answerOf(send())).toMatchObject({ status });
  });

  it.each([
    ["get_submission", () => ({ id })],
    ["read_definition", () => ({ form })],
    ["update_submission", () => ({ id, data: {} })],
  ])("returns not_found to the tool %s for a credential without forms", async (name, values) => {
    const result = await answerOf(speak(appsOnly, "tools/call", { name, arguments: values() }));
    expect(result).toMatchObject({
      status: 200,
      body: { result: { isError: true, structuredContent: { code: "not_found" } } },
    });
  });
});
