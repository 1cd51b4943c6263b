import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodies, refused } from "../support/right-requests";
import { routes } from "../support/routes";
import { world } from "../support/world";
import { html, json, otherJson } from "./parts";
import { allPaths } from "./mutations";
import { validCase, requestCase, sendCase, slowRoutes, unprintable } from "./requests";
import { isFullSize, isRest, unsized } from "../support/size";
import { settings, timeoutMs } from "./settings";

const names = [...routes.keys()];
const surfaces: [surface: string, route: RegExp][] = [
  ["the API", / \/api\/v1\//],
  ["/oauth/token", / \/oauth\/token$/],
  ["/mcp", / \/mcp$/],
  ["the administration", / \/admin\b/],
  ["pages", / \/(?!api\/|admin\b|oauth\/|mcp$)/],
];

/** In `npm test`, two of the values, which differ from one turn to the next. */
const someValues = (values: readonly string[], turn: number) =>
  isFullSize ? values : [0, 1].map((index) => values[(turn * 2 + index) % values.length] ?? "");

/** In `npm test`, a fifth of the routes. */
const someRoutes = (routeNames: readonly string[]) =>
  isFullSize ? routeNames : routeNames.filter((_, index) => index % 5 === 0);

describe("Random requests", () => {
  const withBody = names.filter((name) => /^(POST|PUT|PATCH) /.test(name));

  unsized.it("cover every route: a valid body where it takes one, and exactly one surface", () => {
    expect(withBody.filter((name) => !(name in bodies))).toEqual([]);
    for (const name of names) {
      expect([name, surfaces.filter(([, route]) => route.test(name)).length]).toEqual([name, 1]);
    }
  });

  const triedBefore = isRest ? withBody.filter((_, index) => index % 5 === 0) : [];
  it.each(someRoutes(withBody).filter((name) => !triedBefore.includes(name)))(
    "%s: returns the usual status to the valid request that the tests change",
    async (name) => {
      const { status, text } = await sendCase(validCase(name));
      expect([status < 400, text]).toEqual([!refused.includes(name), text]);
    },
  );

  it.each(someRoutes(withBody))(
    "%s: returns no 5xx for JSON that is not an object, or an empty object",
    async (name) => {
      for (const garbage of someValues(Object.keys(otherJson), withBody.indexOf(name))) {
        for (const accept of name.includes("/admin/") ? [json, html] : [json]) {
          const { status } = await sendCase({ ...validCase(name), accept, body: { garbage } });
          expect(status).toBeLessThan(500);
        }
      }
    },
  );

  const inArea = withBody.filter((name) => name.includes("/admin/") && !slowRoutes.test(name));
  it.each(someRoutes(inArea))(
    "%s: returns no 5xx when a part of a valid body is an unusual value",
    async (name) => {
      const pathCount = allPaths(bodies[name]?.(await world())).length;
      const places = Array.from({ length: Math.min(pathCount, 12) }, (_, index) => index);
      for (const at of isFullSize ? places : [0]) {
        for (const value of [unprintable, "__proto__"]) {
          const replacement = { change: "replace" as const, at, value };
          const body = { mutations: [replacement], asForm: false };
          expect((await sendCase({ ...validCase(name), body })).status).toBeLessThan(500);
        }
      }
    },
    timeoutMs,
  );

  it.each(surfaces)(
    "%s: returns a response that keeps the contract for any request",
    async (_, route) => {
      const cases = requestCase(names.filter((name) => route.test(name)));
      await fc.assert(
        fc.asyncProperty(cases, async (request) => void (await sendCase(request))),
        settings,
      );
    },
    timeoutMs,
  );
});
