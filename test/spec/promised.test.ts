import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Client, type Answer, type Json } from "../support/client";
import { rightRequest } from "../support/right-requests";
import { routes } from "../support/routes";
import { client, everything, makeApp, makeForm } from "../support/service";
import { world } from "../support/world";

/** What the document of the service promises of each route, and no other test needs to see of every one. */

type Asked = Awaited<ReturnType<typeof rightRequest>>;

const names = [...routes.keys()].filter((name) => / \/api\/v1\//.test(name));
const tooLarge = JSON.stringify({ data: "x".repeat(1_100_000) });
const unlike = (name: string) => (name.includes("webhooks") ? "records:read" : "webhooks:manage");
const nowhere = { key: "nowhere", id: "sub_01KAHV3M4E7XQ2R5T8W9YZB6CD", delivery: "dlv_9" };

let by: Client;
let document: Json;
beforeAll(async () => {
  by = new Client((await world()).bearer);
  // More than a page of one.
  await makeApp(by, [{ key: "title", type: "text" }]);
  document = (await by.get("/openapi.json")).body;
});

function promisesOf(name: string): Json {
  const [, method = "", path = ""] = /^(\w+) \/api\/v1(.*)$/.exec(name) ?? [];
  const shaped = path.replaceAll(/:(\w+)/g, (_, parameter: string) =>
    parameter === "key" ? (path.startsWith("/apps") ? "{app}" : "{form}") : `{${parameter}}`,
  );
  return document.paths[shaped][method.toLowerCase()].responses;
}

function codesOf(response: Json): string[] {
  const at = (ref: string): Json =>
    ref
      .slice(2)
      .split("/")
      .reduce((part, step) => part[step], document);
  const { content = {} } = response.$ref ? at(response.$ref) : response;
  const schema = content["application/problem+json"]?.schema;
  const all: Json[] = schema?.oneOf ?? (schema ? [schema] : []);
  return all.map((each) => at(each.$ref).properties.code.const);
}

const send = ({ method, path, body }: Asked, headers = {}, through = by): Promise<Answer> =>
  through.send(method, `https://forms.example${path}`, body, headers);

/** How each refusal is met, whatever the route. */
const refusals: Record<string, (name: string, right: Asked) => Promise<Answer>> = {
  unauthenticated: (_, right) => send(right, {}, new Client("nothing")),
  permission_required: async (name, right) =>
    send(right, {}, await client({ permissions: [unlike(name)] })),
  not_found: async (name, right) => {
    if (name === "GET /api/v1/openapi.json")
      return send({ ...right, path: `${right.path}?apps=x` });
    if (name.includes("/webhooks")) return send(await rightRequest(name, nowhere));
    return send(right, {}, await client({ resources: ["app:another"] }));
  },
  invalid_input: (_, right) => send({ ...right, path: `${right.path}?nonsense=1` }),
  malformed_json: (_, right) => send({ ...right, body: "{" }),
  malformed_header: (_, right) => send(right, { "If-Match": "x y", "If-None-Match": "x y" }),
  unsupported_media_type: async (_, right) => {
    const coded = await send(right, { "Content-Encoding": "gzip" });
    expect([coded.status, coded.headers.get("Accept-Encoding")]).toEqual([415, "identity"]);
    return send(right, { "Content-Type": "text/plain" });
  },
  too_large: (_, right) => send({ ...right, body: tooLarge }),
  version_mismatch: (_, right) =>
    right.path.endsWith("/batch")
      ? send({ ...right, body: mismatching(right.body) })
      : send(right, { "If-Match": '"999"' }),
  rate_limited: async (_, right) => {
    const limited = await client({ permissions: everything, requests: 1, writes: 1 });
    await limited.get("/me");
    return send(right, {}, limited);
  },
};

const mismatching = ({ operations }: Json) => ({
  operations: operations
    .filter(({ op }: Json) => op === "update")
    .map((operation: Json) => ({ ...operation, if_match: '"999"' })),
});

describe("What the document says of a route happens", () => {
  it.each(names)("%s: its refusals", async (name) => {
    const right = await rightRequest(name);
    const promised = Object.values<Json>(promisesOf(name)).flatMap(codesOf);
    for (const code of promised.filter((each) => each in refusals)) {
      const answer = await refusals[code]?.(name, right);
      expect([code, answer?.body?.code, answer?.text]).toEqual([code, code, answer?.text]);
    }
  });

  it.each(names)("%s: 304 for who has it, pages and downloads", async (name) => {
    const right = await rightRequest(name);
    const promised = promisesOf(name);
    if (promised["304"]) {
      const { etag } = await send(right);
      expect((await send(right, { "If-None-Match": etag })).status).toBe(304);
    }
    for (const type of Object.keys(promised["200"]?.content ?? {})) {
      const answer = await send(right, { Accept: type });
      expect(answer.headers.get("Content-Type")).toContain(type);
    }
    if (promised["200"]?.headers?.Link && right.method === "GET") {
      await send({ ...right, path: `${right.path}?limit=1` });
    }
  });

  it.each(["app", "form"] as const)(
    "%ss: a key that is used again, in batches too",
    async (kind) => {
      const fields = [{ key: "title", type: "text" }];
      const key = kind === "app" ? await makeApp(by, fields) : await makeForm(by, fields);
      const items = `/${kind}s/${key}/${kind === "app" ? "records" : "submissions"}`;
      const create = (title: string) => ({ data: { title } });
      const bodies: [string, (title: string) => object][] = [
        [items, create],
        [`${items}/batch`, (title) => ({ operations: [{ op: "create", ...create(title) }] })],
      ];
      for (const [path, body] of bodies) {
        const headers = { "Idempotency-Key": `used-${path}` };
        await by.post(path, body("a"), headers);
        const again = await by.post(path, body("a"), headers);
        expect(again.headers.get("Idempotent-Replayed")).toBe("true");
        const other = await by.post(path, body("b"), headers);
        expect(other.headers.get("Idempotency-Key-Mismatch")).toBe("true");
      }
    },
  );

  it.each(["app", "form"] as const)("%ss: refusals while a change is under way", async (kind) => {
    const fields = [
      { key: "title", type: "text" },
      { key: "code", type: "text", unique: true },
    ];
    const key = kind === "app" ? await makeApp(by, fields) : await makeForm(by, fields);
    const items = `/${kind}s/${key}/${kind === "app" ? "records" : "submissions"}`;
    const created = await by.post(items, { data: { code: "used" } });
    const { id } = created.body;
    const one = kind === "app" ? `${items}/${id}` : `/submissions/${id}`;
    const operations = [{ op: "create", data: { code: "used" } }];
    expect((await by.post(`${items}/batch`, { operations })).body.code).toBe("duplicate");
    if (kind === "form") {
      await by.patch(one, { status: "closed" });
      const update = { operations: [{ op: "update", id, data: { title: "x" } }] };
      expect((await by.post(`${items}/batch`, update)).body.code).toBe("submission_closed");
    }
    const { id: collection } = (await env.DB.prepare(
      "SELECT id FROM collection WHERE kind = ? AND key = ?",
    )
      .bind(kind, key)
      .first<{ id: number }>()) ?? { id: 0 };
    await env.DB.prepare("INSERT INTO indexing VALUES (?, '[1]', 1, 2, 0, 1)")
      .bind(collection)
      .run();
    const conditions = [{ field: "title", op: "eq", value: "x" }];
    expect((await by.post(`${items}/search`, { conditions })).body.code).toBe("indexing");
    await beginPending(collection);
    const wrong = { data: { title: "x" } };
    const answers = [
      await by.post(items, wrong),
      await by.post(`${items}/batch`, { operations: [{ op: "create", ...wrong }] }),
      ...(kind === "form" ? [await by.post(`${items}/validate`, wrong)] : []),
    ];
    const open = await by.post(items, { data: {} });
    const other = kind === "app" ? `${items}/${open.body.id}` : `/submissions/${open.body.id}`;
    answers.push(await by.patch(other, wrong));
    expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => "schema_in_use"));
  });

  it("apps, too: a change that has to look at many items is begun, one that items stand against is refused", async () => {
    const text = (key: string, rest = {}) => ({ key, type: "text", ...rest });
    const large = Array.from({ length: 9 }, (_, i) =>
      text(`l${i}`, { max_length: 100_000, searchable: false }),
    );
    const key = await makeApp(by, [text("code"), ...large]);
    const path = `/apps/${key}`;
    await by.post(`${path}/records`, { data: { code: "used" } });
    const number = { fields: [{ key: "code", type: "number" }, ...large] };
    expect((await by.put(`${path}/schema`, number)).body.code).toBe("schema_in_use");
    const filler = Object.fromEntries(large.map((each) => [each.key, "x".repeat(99_000)]));
    for (let count = 0; count < 9; count += 1) {
      await by.post(`${path}/records`, { data: { code: `${count}`, ...filler } });
    }
    const unique = { fields: [text("code", { unique: true }), ...large] };
    expect((await by.put(`${path}/schema`, unique)).status).toBe(202);
  });

  it("the changes of an app, too, are told for 30 days", async () => {
    const key = await makeApp(by, [{ key: "title", type: "text" }]);
    await by.post(`/apps/${key}/records`, { data: {} });
    await by.post(`/apps/${key}/records`, { data: {} });
    const first = await by.get(`/apps/${key}/changes?limit=1`);
    await env.DB.prepare("UPDATE change SET at = at - 3000000000").run();
    const late = await by.get(first.body.links.next);
    expect([late.status, late.body.code]).toEqual([410, "changes_expired"]);
  });
});

/** As a change of the type of `title` does that has to look at many items. */
async function beginPending(collection: number): Promise<void> {
  const row = await env.DB.prepare("SELECT fields FROM collection WHERE id = ?")
    .bind(collection)
    .first<{ fields: string }>();
  const emptied = [{ id: 1, key: "title", within: null }];
  const fields = JSON.parse(row?.fields ?? "{}");
  const change = { definition: { fields }, emptied, gained: [], lost: [], unindexed: [] };
  await env.DB.batch([
    env.DB.prepare("INSERT INTO pending_change VALUES (?, ?, '{}', 1, 2, 0, 1, NULL)").bind(
      collection,
      JSON.stringify(change),
    ),
    env.DB.prepare("UPDATE collection SET revision = revision + 1 WHERE id = ?").bind(collection),
  ]);
}
