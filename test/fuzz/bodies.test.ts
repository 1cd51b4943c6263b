import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodies, refused } from "../support/right-requests";
import { routes } from "../support/routes";
import { html, json, otherJson } from "./parts";
import { plain, requestCase, send } from "./requests";
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
