import { describe, expect, it } from "vitest";
import { Client, host, type Answer } from "../support/client";
import { token } from "../support/oauth";
import { isApiPath, mountedRoutes, pathsOfAllMethods, pathWith, routes } from "../support/routes";
import { admin, anonymous, issue } from "../support/service";
import { apiTable, ofTheArea, routeOf, rowsOf, publicTable } from "./tables";

describe("Permission tables", () => {
  it("list exactly the routes of the service", () => {
    const listed = [
      ...rowsOf(apiTable).map(({ route = "" }) => route),
      ...rowsOf(ofTheArea).map(({ act = "" }) => routeOf(act)),
      ...rowsOf(publicTable).map(({ act = "" }) => routeOf(act)),
    ];
    expect([...new Set(listed)].toSorted()).toEqual([...routes.keys()].toSorted());
  });

  it("have a row for each route below the API's root, because only operations are mounted there", () => {
    const mounted = mountedRoutes.filter(({ path }) => isApiPath(path));
    for (const { method, path } of mounted)
      expect([...routes.keys()]).toContain(`${method} ${path}`);
  });

  it("list each action once, in the table of its surface", () => {
    const acts = [apiTable, ofTheArea, publicTable].map((table) =>
      rowsOf(table).map(({ route, act }) => route ?? act ?? ""),
    );
    expect(acts.flat().length).toBe(new Set(acts.flat()).size);
    const [api = [], area = [], others = []] = acts;
    expect(api.filter((route) => !/^[A-Z]+ \/api\/v1\//.test(route))).toEqual([]);
    expect(area.filter((act) => !/^[A-Z]+ \/admin(\/|,|$)/.test(act))).toEqual([]);
    expect(others.filter((act) => /^[A-Z]+ \/(api|admin)\b/.test(act))).toEqual([]);
  });
});

describe("Other paths and methods", () => {
  /** Sends a request with all permissions. */
  const sendWithAllPermissions = async (method: string, path: string): Promise<Answer> => {
    if (path.startsWith("/admin")) return admin(method, path.slice("/admin".length));
    return new Client((await issue()).token).send(method, host + path);
  };

  it.each(pathsOfAllMethods.filter((path) => path.endsWith("*")))(
    "%s: returns 404 for unknown paths below it, with all permissions",
    async (path) => {
      const childPath = pathWith(path, {}).replace("*", "nothing/at/all");
      expect((await sendWithAllPermissions("GET", childPath)).status).toBe(404);
      expect((await sendWithAllPermissions("POST", childPath)).status).toBe(404);
    },
  );

  it.each(pathsOfAllMethods.filter((path) => !path.endsWith("*")))(
    "%s: returns 405 for other methods, with all permissions",
    async (path) => {
      expect((await sendWithAllPermissions("PURGE", pathWith(path, { code: "try_again" }))).status).toBe(405);
    },
  );
});

describe("Public routes", () => {
  const tokens: Record<string, () => Promise<Answer>> = {
    "POST /oauth/token, with a client's secret": async () => requestToken(true),
    "POST /oauth/token, with another secret": async () => requestToken(false),
  };
  async function requestToken(hasRightSecret: boolean) {
    const [client, otherClient] = [
      await issue({ kind: "client" }),
      await issue({ kind: "client" }),
    ];
    const { client_secret } = hasRightSecret ? client : otherClient;
    return token({
      grant_type: "client_credentials",
      client_id: client.client_id,
      client_secret,
    });
  }

  it.each(rowsOf(publicTable).map(({ act = "", status }) => [act, Number(status)] as const))(
    "%s: returns %i without a credential or a session",
    async (act, status) => {
      const [method = "", path = ""] = routeOf(act).split(" ");
      const fullPath = pathWith(path, { code: "not_found" });
      const answer = await (tokens[act]?.() ?? anonymous(method, fullPath));
      expect(answer.status).toBe(status);
      if (method === "GET") expect((await anonymous("HEAD", fullPath)).status).toBe(status);
    },
  );
});
