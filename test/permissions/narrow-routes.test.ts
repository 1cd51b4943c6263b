import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { announcement, pdf } from "../support/files";
import { client } from "../support/service";
import { hiddenKeys, narrowWorld, type Kind, type NarrowWorld } from "./narrow-world";
import { apiTable, narrowTable, rowsOf } from "./tables";

import { ask, comparable, type Sent } from "./narrow-requests";
import { isFullSize, isRest, unsized } from "../support/size";

/** The rights of credentials that see a collection through a view, by the hand-written table. */

const rows = rowsOf(narrowTable);
let owner: Client;
beforeAll(async () => {
  owner = await client();
});

unsized.it("The table of narrow credentials has a row for each route of the API", () => {
  const routes = (table: string) => rowsOf(table).map(({ route }) => route);
  expect(routes(narrowTable)).toEqual(routes(apiTable));
});

type Variant = "inside" | "outside" | "hidden field";

const unique = () => `u${crypto.randomUUID()}`;

/** The requests of a route in a variant. `field` is the key that the variant "hidden field" names. */
function requestsOf(world: NarrowWorld, route: string, variant: Variant, field: string): Sent[] {
  const { base, inside, outside, key } = world;
  const [method = "", template = ""] = route.split(" ");
  if (template.startsWith("/api/v1/files")) return fileRequests(world, route, variant, field);
  const id = variant === "outside" ? outside.id : inside.id;
  const path = template
    .replace("/api/v1", "")
    .replace(/\/(apps|forms)\/:key/, base)
    .replace(/\/webhooks\/:id/, "/webhooks/whk_01KAHV3M4E7XQ2R5T8W9YZB6CD")
    .replace(":delivery", "dlv_000000000001")
    .replace(":id", id);
  const send = (body?: unknown, query = ""): Sent => ({ method, path: path + query, body });
  const team = variant === "outside" ? "theirs" : "ours";
  const data = { title: "new", team };
  const named = (value: unknown) => ({ ...data, [field]: value });
  const isHidden = variant === "hidden field";
  switch (route.replace(/^(\w+) \/api\/v1\/?/, "$1 ").replace(/(apps|forms)\/:key\/?/, "")) {
    case "GET openapi.json":
      return template === "/api/v1/openapi.json"
        ? [
            send(undefined, `?${world.kind}s=${key}`),
            send(undefined, `?${world.kind}s=${key}&version=3.0`),
          ]
        : [send()];
    case "GET records":
    case "GET submissions":
      if (!isHidden) return [send(), send(undefined, "?limit=1")];
      return [send(undefined, `?expand=${field}`), send(undefined, `?view=${field}`)];
    case "POST records/search":
    case "POST submissions/search":
      if (!isHidden) return [send({}), send({ sort: [{ field: "amount" }], limit: 1 })];
      return [
        ...["eq", "ne", "gt", "in", "contains", "is_empty", "any", "has_any", "matches"].map((op) =>
          send({ conditions: [{ field, op, value: op === "is_empty" ? true : "x" }] }),
        ),
        send({ conditions: [{ not: { any: [{ field, op: "eq", value: "x" }] } }] }),
        send({
          conditions: [{ field: "lines", op: "any", value: [{ field, op: "eq", value: 1 }] }],
        }),
        send({ sort: [{ field, direction: "desc" }] }),
        send({ sort: [{ field: "amount" }, { field }] }),
        send({ fields: ["title", field] }),
        send({ expand: [field] }),
        send({}, `?view=${field}`),
      ];
    case "POST records/aggregate":
    case "POST submissions/aggregate": {
      const metrics = { n: { op: "count" } };
      if (!isHidden) return [send({ metrics }), send({ metrics, group_by: [{ field: "team" }] })];
      return [
        send({ metrics, group_by: [{ field }] }),
        ...["sum", "min", "max", "avg", "count_distinct"].map((op) =>
          send({ metrics: { n: { op, field } } }),
        ),
        send({ metrics, conditions: [{ field, op: "eq", value: "x" }] }),
        send({ metrics, conditions: [{ field, op: "matches", value: [] }] }),
        send({ metrics }, `?view=${field}`),
      ];
    }
    case "GET records/:id":
    case "GET submissions/:id":
      return isHidden
        ? [send(undefined, `?expand=${field}`)]
        : [send(), send(undefined, "?expand=person")];
    case "GET changes":
      return [send(), send(undefined, "?all=true"), send(undefined, "?cursor=now")];
    case "POST records":
    case "POST submissions":
    case "POST submissions/validate":
      if (!isHidden) return [send({ data })];
      return ["x", 1, null, { $increment: 1 }, [{ zzcell: 1 }]].map((value) =>
        send({ data: named(value) }),
      );
    case "PATCH records/:id":
    case "PATCH submissions/:id":
      if (!isHidden)
        return [send({ data: { amount: 6 } }), send({ data: { amount: { $increment: 1 } } })];
      return ["x", null, { $increment: 1 }, [{ zzcell: "x" }]].map((value) =>
        send({ data: { [field]: value } }),
      );
    case "POST records/batch":
    case "POST submissions/batch": {
      const update = { op: "update", id, data: { amount: 7 } };
      if (!isHidden)
        return [
          send({ operations: [update] }),
          send(
            { operations: [{ op: "create", data: { title: "b", team: "ours" } }, update] },
            "?return=representation",
          ),
        ];
      return [
        send({ operations: [{ op: "update", id, data: { [field]: "x" } }] }),
        send({ operations: [{ op: "update", id, data: { [field]: { $increment: 1 } } }] }),
        send({ operations: [{ op: "create", data: named("x") }] }),
        send({ operations: [{ op: "upsert", by: field, data: named("x") }] }),
        send({
          operations: [{ op: "upsert", by: "code", data: { ...named("x"), code: unique() } }],
        }),
      ];
    }
    case "DELETE submissions/:id":
      return [send()];
    default:
      return [send(/^(POST|PUT|PATCH)/.test(route) ? {} : undefined)];
  }
}

/** The requests of a file route. "outside" addresses files of other items and of a hidden field. */
function fileRequests(world: NarrowWorld, route: string, variant: Variant, field: string): Sent[] {
  const { kind, key, files } = world;
  const [method = "", template = ""] = route.split(" ");
  const path = template.replace("/api/v1", "");
  if (path === "/files") {
    const named = variant === "hidden field" ? field : "docs";
    const body = { ...announcement(`${kind}:${key}`, pdf()), field: named };
    return [{ method, path, body }];
  }
  const own: Record<string, string> = { PUT: files.own, DELETE: files.spare };
  const ids = variant === "outside" ? files.unseen : [own[method] ?? files.inside];
  const bodies: Record<string, unknown> = { PUT: "%PDF-1.7\none", POST: {} };
  return ids.map((id) => ({ method, path: path.replace(":id", id), body: bodies[method] }));
}

/** The text with the ID of an unreachable item or file replaced by a missing one. */
function withMissing({ outside, missing, files }: NarrowWorld, text: string): string {
  const withoutFiles = files.unseen.reduce((rest, id) => rest.replaceAll(id, files.missing), text);
  return withoutFiles.replaceAll(outside.id, missing);
}

/** `npm test` tries one hidden key for each route, and `npm run test:rest` the others. */
function keysFor(route: string): readonly string[] {
  const tried = hiddenKeys[rows.findIndex((row) => row["route"] === route) % hiddenKeys.length];
  if (!isFullSize) return hiddenKeys.filter((key) => key === tried);
  return isRest ? hiddenKeys.filter((key) => key !== tried) : hiddenKeys;
}

describe.each(["app", "form"] as Kind[])("A credential that sees a view of an %s", (kind) => {
  let world: NarrowWorld;
  beforeAll(async () => {
    world = await narrowWorld(owner, kind);
  });
  const ownRows = rows
    .filter(({ route = "" }) => !route.includes(kind === "app" ? "/forms/:key" : "/apps/:key"))
    .filter(({ route = "" }) => kind === "form" || !route.includes("/submissions"));

  it.each(ownRows.map((row) => [row["route"] ?? "", row] as const))("%s", async (route, row) => {
    for (const sent of requestsOf(world, route, "inside", "")) {
      if (route.startsWith("DELETE /api/v1/submissions")) continue;
      const answer = await ask(world.partner, sent);
      expect([sent, answer.status, answer.text]).toMatchObject([
        sent,
        Number(row["inside"]),
        expect.anything(),
      ]);
    }
    if (row["outside"] !== "-")
      for (const sent of requestsOf(world, route, "outside", "")) {
        const answer = await ask(world.partner, sent);
        expect([sent, answer.status]).toEqual([sent, Number(row["outside"])]);
        if (answer.status !== 404) continue;
        const missing = await ask(
          world.partner,
          JSON.parse(withMissing(world, JSON.stringify(sent))) as Sent,
        );
        const ofMissing = JSON.parse(withMissing(world, JSON.stringify(comparable(answer))));
        expect([sent, ofMissing]).toEqual([sent, comparable(missing)]);
      }
    if (row["hidden field"] === "-") return;
    for (const hidden of keysFor(route)) {
      // As long as the hidden key, so that no length differs.
      const unknown = hidden.replaceAll("z", "q");
      const sentHidden = requestsOf(world, route, "hidden field", hidden);
      const sentUnknown = requestsOf(world, route, "hidden field", unknown);
      for (const [index, sent] of sentHidden.entries()) {
        const answer = await ask(world.partner, sent);
        expect([sent, answer.status]).toEqual([sent, Number(row["hidden field"])]);
        const other = await ask(world.partner, sentUnknown[index] ?? sent);
        const ofHidden = JSON.parse(
          JSON.stringify(comparable(answer)).replaceAll(hidden, unknown),
        ) as unknown;
        expect([sent, ofHidden]).toEqual([sent, comparable(other)]);
      }
    }
  });
});
