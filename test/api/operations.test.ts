import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { apiRoot } from "../../src/domain/api-paths.ts";
import { operations, type OperationId } from "../../src/operations/index.ts";
import type { Operation } from "../../src/operations/operation.ts";
import { Client, host } from "../support/client";
import { bodies, parametersOf } from "../support/right-requests";
import { pathWith, routeName } from "../support/routes";
import { world } from "../support/world";

const declared = Object.entries<Operation>(operations());
const paths = [...Map.groupBy(declared, ([, { path }]) => path)].map(
  ([path, entries]) => [path, entries.map(([, { method }]) => method)] as const,
);

const segmentsOf = (path: string) => path.split("/");
const isParameter = (segment: string) => segment.startsWith(":");

/** Whether a request can match both paths, and the router would prefer the parameter of the first one. */
function hides(first: string, second: string): boolean {
  const [firstSegments, secondSegments] = [segmentsOf(first), segmentsOf(second)];
  if (firstSegments.length !== secondSegments.length) return false;
  const pairs = firstSegments.map((segment, at) => [segment, secondSegments[at] ?? ""] as const);
  const canMatchBoth = pairs.every((pair) => pair[0] === pair[1] || pair.some(isParameter));
  const different = pairs.find(([one, other]) => isParameter(one) !== isParameter(other));
  return canMatchBoth && different !== undefined && isParameter(different[0]);
}

describe("Declared operations", () => {
  it("declare a path with a literal segment before one with a parameter in its place", () => {
    const hidden = paths.flatMap(([path], at) =>
      paths.slice(at + 1).flatMap(([later]) => (hides(path, later) ? [[path, later]] : [])),
    );
    expect(hidden).toEqual([]);
    expect(hides("/apps/:key/records/:id", "/apps/:key/records/search")).toBe(true);
  });

  it("declare each method of a path once", () => {
    const names = declared.map(([, { method, path }]) => `${method} ${path}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(declared)("%s: has a 2xx response, and no other responses", (_, { responses }) => {
    const statuses = Object.keys(responses).map(Number);
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status < 200 || status > 299)).toEqual([]);
  });

  it("have a valid body in the tests wherever they take one", () => {
    const ids = declared.flatMap(([id, { body }]) => (body ? [id as OperationId] : []));
    expect(ids.filter((id) => !(routeName(id) in bodies))).toEqual([]);
  });

  it("name each tool once per kind", () => {
    const names = declared.flatMap(([, { kind, tool }]) => (tool ? [`${kind} ${tool.name}`] : []));
    expect(names).toEqual([...new Set(names)]);
  });

  it("share the name of a tool between apps and forms only if it accepts either", () => {
    const tools = declared.flatMap(([, { tool }]) => (tool ? [tool] : []));
    const shared = tools.filter(
      ({ name }) => tools.filter((tool) => tool.name === name).length > 1,
    );
    expect(shared.filter(({ acceptsEitherKind }) => !acceptsEitherKind)).toEqual([]);
  });
});

describe.each(paths)("%s", (path, methods) => {
  let url: string;
  let caller: Client;
  beforeAll(async () => {
    const parts = await world();
    caller = new Client(parts.bearer);
    url = host + apiRoot + pathWith(path, parametersOf({ method: "GET", path }, parts));
  });

  it("returns its methods to a preflight without a credential", async () => {
    const headersSent = { Origin: "https://shop.example", "Access-Control-Request-Method": "GET" };
    const request = new Request(url, { method: "OPTIONS", headers: headersSent });
    const { status, headers } = await exports.default.fetch(request);
    const allowed = headers.get("Access-Control-Allow-Methods");
    expect([status, allowed?.split(", ")]).toEqual([204, methods]);
  });

  it("returns 405 with its methods in Allow, and HEAD beside GET, to any other method", async () => {
    const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const all = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"];
    for (const method of all.filter((each) => !allowed.includes(each))) {
      const { status, headers } = await caller.send(method, url);
      expect([method, status, headers.get("Allow")?.split(", ")]).toEqual([method, 405, allowed]);
    }
  });

  it("accepts HEAD, without a body in the response, exactly where it accepts GET", async () => {
    const { status, text } = await caller.send("HEAD", url);
    expect([status, text]).toEqual([methods.includes("GET") ? 200 : 405, ""]);
  });
});
