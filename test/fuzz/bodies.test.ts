import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodies, refused } from "../support/right-requests";
import { routes } from "../support/routes";
import { world } from "../support/world";
import { html, json, otherJson } from "./parts";
import { placesOf } from "./mutations";
import { plain, requestCase, send, slow, textless } from "./requests";
import { settings, time } from "./settings";

const names = [...routes.keys()];
const areas: [area: string, route: RegExp][] = [
  ["the API", / \/api\/v1\//],
  ["/oauth/token", / \/oauth\/token$/],
  ["/mcp", / \/mcp$/],
  ["the administration area", / \/admin\b/],
  ["pages", / \/(?!api\/|admin\b|oauth\/|mcp$)/],
];

describe("Random requests", () => {
  const withBody = names.filter((name) => /^(POST|PUT|PATCH) /.test(name));

  it("every route that takes a body has a right one here, and stands in one of the areas", () => {
    expect(withBody.filter((name) => !(name in bodies))).toEqual([]);
    for (const name of names) {
      expect([name, areas.filter(([, route]) => route.test(name)).length]).toEqual([name, 1]);
    }
  });

  it.each(withBody)("%s: what is changed at random is taken before", async (name) => {
    const { status, text } = await send(plain(name));
    expect([status < 400, text]).toEqual([!refused.includes(name), text]);
  });

  it.each(withBody)("%s: JSON that is no object, or an empty one, is no fault", async (name) => {
    for (const garbage of Object.keys(otherJson)) {
      for (const accept of name.includes("/admin/") ? [json, html] : [json]) {
        const { status } = await send({ ...plain(name), accept, body: { garbage } });
        expect(status).toBeLessThan(500);
      }
    }
  });

  it.each(withBody.filter((name) => name.includes("/admin/") && !slow.test(name)))(
    "%s: each of the first parts of a right body may be something that makes careless code fail",
    async (name) => {
      const places = placesOf(bodies[name]?.(await world())).length;
      for (let at = 0; at < Math.min(places, 12); at += 1) {
        for (const value of [textless, "__proto__"]) {
          const replaced = { change: "replace" as const, at, value };
          const body = { mutations: [replaced], asForm: false };
          expect((await send({ ...plain(name), body })).status).toBeLessThan(500);
        }
      }
    },
    time,
  );

  it.each(areas)(
    "%s: whatever is sent is answered, and refused as the contract says",
    async (_, route) => {
      const some = requestCase(names.filter((name) => route.test(name)));
      await fc.assert(
        fc.asyncProperty(some, async (each) => void (await send(each))),
        settings,
      );
    },
    time,
  );
});
