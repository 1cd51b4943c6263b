import { describe, expect, it } from "vitest";
import { rightRequest } from "../support/right-requests";
import { client, makeApp, makeForm } from "../support/service";
import { world } from "../support/world";
import { dataDb } from "../support/databases";

import { documentedResponses, integrator, names, send } from "./documented";

/** Tests that each route returns the responses in the document of the service, as far as no other test does. */

describe("Documented responses", () => {
  it.each(names)("%s returns its documented 304, pages and media types", async (name) => {
    const request = await rightRequest(name);
    const responses = documentedResponses(name);
    if (responses["304"]) {
      const { etag } = await send(request);
      expect((await send(request, { "If-None-Match": etag })).status).toBe(304);
    }
    for (const type of Object.keys(responses["200"]?.content ?? {})) {
      const answer = await send(request, { Accept: type });
      expect(answer.headers.get("Content-Type")).toContain(type === "*/*" ? "/" : type);
    }
    if (responses["200"]?.headers?.Link && request.method === "GET") {
      await send({ ...request, path: `${request.path}?limit=1` });
    }
  });

  it.each(["app", "form"] as const)(
    "%ss: replays used idempotency keys, in batches too",
    async (kind) => {
      const fields = [{ key: "title", type: "text" }];
      const key =
        kind === "app" ? await makeApp(integrator, fields) : await makeForm(integrator, fields);
      const items = `/${kind}s/${key}/${kind === "app" ? "records" : "submissions"}`;
      const create = (title: string) => ({ data: { title } });
      const bodies: [string, (title: string) => object][] = [
        [items, create],
        [`${items}/batch`, (title) => ({ operations: [{ op: "create", ...create(title) }] })],
      ];
      for (const [path, body] of bodies) {
        const headers = { "Idempotency-Key": `used-${path}` };
        await integrator.post(path, body("a"), headers);
        const replay = await integrator.post(path, body("a"), headers);
        expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
        const mismatch = await integrator.post(path, body("b"), headers);
        expect(mismatch.headers.get("Idempotency-Key-Mismatch")).toBe("true");
      }
    },
  );

  it.each(["app", "form"] as const)(
    "%ss: returns 409 indexing and schema_in_use during a definition change",
    async (kind) => {
      const fields = [
        { key: "title", type: "text" },
        { key: "code", type: "text", unique: true },
      ];
      const key =
        kind === "app" ? await makeApp(integrator, fields) : await makeForm(integrator, fields);
      const items = `/${kind}s/${key}/${kind === "app" ? "records" : "submissions"}`;
      const created = await integrator.post(items, { data: { code: "used" } });
      const { id } = created.body;
      const itemPath = kind === "app" ? `${items}/${id}` : `/submissions/${id}`;
      const operations = [{ op: "create", data: { code: "used" } }];
      expect((await integrator.post(`${items}/batch`, { operations })).body.code).toBe("duplicate");
      if (kind === "form") {
        await integrator.patch(itemPath, { status: "closed" });
        const update = { operations: [{ op: "update", id, data: { title: "x" } }] };
        expect((await integrator.post(`${items}/batch`, update)).body.code).toBe(
          "submission_closed",
        );
      }
      const { id: collection } = (await dataDb
        .prepare("SELECT id FROM collection WHERE kind = ? AND key = ?")
        .bind(kind, key)
        .first<{ id: number }>()) ?? { id: 0 };
      await dataDb
        .prepare("INSERT INTO indexing VALUES (?, '[1]', 1, 2, 0, 1, '[1]')")
        .bind(collection)
        .run();
      const conditions = [{ field: "title", op: "eq", value: "x" }];
      expect((await integrator.post(`${items}/search`, { conditions })).body.code).toBe("indexing");
      const metrics = { count: { op: "count" } };
      const figures = await integrator.post(`${items}/aggregate`, { conditions, metrics });
      expect(figures.body.code).toBe("indexing");
      await beginPending(collection);
      const invalidBody = { data: { title: "x" } };
      const responses = [
        await integrator.post(items, invalidBody),
        await integrator.post(`${items}/batch`, { operations: [{ op: "create", ...invalidBody }] }),
        ...(kind === "form" ? [await integrator.post(`${items}/validate`, invalidBody)] : []),
      ];
      const item = await integrator.post(items, { data: {} });
      const otherPath =
        kind === "app" ? `${items}/${item.body.id}` : `/submissions/${item.body.id}`;
      responses.push(await integrator.patch(otherPath, invalidBody));
      expect(responses.map(({ body }) => body.code)).toEqual(responses.map(() => "schema_in_use"));
    },
  );

  it("apps: returns 202 to a definition change over many items, and 409 to one that items violate", async () => {
    const text = (key: string, rules = {}) => ({ key, type: "text", ...rules });
    const large = Array.from({ length: 9 }, (_, i) =>
      text(`l${i}`, { max_length: 100_000, searchable: false }),
    );
    const key = await makeApp(integrator, [text("code"), ...large]);
    const path = `/apps/${key}`;
    await integrator.post(`${path}/records`, { data: { code: "used" } });
    const number = { fields: [{ key: "code", type: "number" }, ...large] };
    expect((await integrator.put(`${path}/schema`, number)).body.code).toBe("schema_in_use");
    const filler = Object.fromEntries(large.map((field) => [field.key, "x".repeat(99_000)]));
    for (let count = 0; count < 9; count += 1) {
      await integrator.post(`${path}/records`, { data: { code: `${count}`, ...filler } });
    }
    const unique = { fields: [text("code", { unique: true }), ...large] };
    expect((await integrator.put(`${path}/schema`, unique)).status).toBe(202);
  });

  it("files: returns a range of the content", async () => {
    const { file } = await world();
    const part = await integrator.get(`/files/${file.id}/content`, { Range: "bytes=0-3" });
    expect([part.status, part.text]).toEqual([206, '{"no']);
  });

  it("apps: returns 409 to a PATCH that removes the view of a narrow credential", async () => {
    const key = await makeApp(integrator, [{ key: "title", type: "text" }]);
    const path = `/apps/${key}/schema`;
    const views = [{ key: "titles", name: "Titles", fields: ["title"] }];
    expect((await integrator.patch(path, { views })).status).toBe(200);
    await client({ permissions: ["records:read"], resources: [`app:${key}/titles`] });
    const refused = await integrator.patch(path, { views: [] });
    expect([refused.status, refused.body.code]).toEqual([409, "schema_in_use"]);
  });

  it("apps: returns 410 changes_expired to a cursor more than 30 days old", async () => {
    const key = await makeApp(integrator, [{ key: "title", type: "text" }]);
    await integrator.post(`/apps/${key}/records`, { data: {} });
    await integrator.post(`/apps/${key}/records`, { data: {} });
    const first = await integrator.get(`/apps/${key}/changes?limit=1`);
    await dataDb.prepare("UPDATE change SET at = at - 3000000000").run();
    const expiredPage = await integrator.get(first.body.links.next);
    expect([expiredPage.status, expiredPage.body.code]).toEqual([410, "changes_expired"]);
  });
});

/** Begins a pending change of the type of `title`, as if it had to scan many items. */
async function beginPending(collection: number): Promise<void> {
  const row = await dataDb
    .prepare("SELECT fields FROM collection WHERE id = ?")
    .bind(collection)
    .first<{ fields: string }>();
  const typeChanged = [{ id: 1, key: "title", within: null }];
  const fields = JSON.parse(row?.fields ?? "{}");
  const change = {
    definition: { fields },
    emptied: typeChanged,
    gained: [],
    lost: [],
    unindexed: [],
  };
  await dataDb.batch([
    dataDb
      .prepare("INSERT INTO pending_change VALUES (?, ?, '{}', 1, 2, 0, 1, NULL)")
      .bind(collection, JSON.stringify(change)),
    dataDb.prepare("UPDATE collection SET revision = revision + 1 WHERE id = ?").bind(collection),
  ]);
}
