import { describe, expect, it } from "vitest";
import { Client, host, type Answer } from "../support/client";
import { token } from "../support/oauth";
import { pathsOfAllMethods, pathWith, routes } from "../support/routes";
import { admin, anonymous, issue } from "../support/service";
import { ofTheApi, ofTheArea, routeOf, rowsOf, toAnyone } from "./tables";

describe("The tables of rights", () => {
  it("name every route of the service, and no route that is not there", () => {
    const named = [
      ...rowsOf(ofTheApi).map(({ route = "" }) => route),
      ...rowsOf(ofTheArea).map(({ act = "" }) => routeOf(act)),
      ...rowsOf(toAnyone).map(({ act = "" }) => routeOf(act)),
    ];
    expect([...new Set(named)].toSorted()).toEqual([...routes.keys()].toSorted());
  });

  it("name each act once, in the table of the part of the service that it belongs to", () => {
    const acts = [ofTheApi, ofTheArea, toAnyone].map((table) =>
      rowsOf(table).map(({ route, act }) => route ?? act ?? ""),
    );
    expect(acts.flat().length).toBe(new Set(acts.flat()).size);
    const [api = [], area = [], rest = []] = acts;
    expect(api.filter((route) => !/^[A-Z]+ \/api\/v1\//.test(route))).toEqual([]);
    expect(area.filter((act) => !/^[A-Z]+ \/admin(\/|,|$)/.test(act))).toEqual([]);
    expect(rest.filter((act) => /^[A-Z]+ \/(api|admin)\b/.test(act))).toEqual([]);
  });
});

describe("What no table names", () => {
  /** As one who may do everything. */
  const ask = async (method: string, path: string): Promise<Answer> => {
    if (path.startsWith("/admin")) return admin(method, path.slice("/admin".length));
    return new Client((await issue()).token).send(method, host + path);
  };

  it.each(pathsOfAllMethods.filter((path) => path.endsWith("*")))(
    "%s: there is nothing else below it, for whoever may do everything",
    async (path) => {
      const below = pathWith(path, {}).replace("*", "nothing/at/all");
      expect((await ask("GET", below)).status).toBe(404);
      expect((await ask("POST", below)).status).toBe(404);
    },
  );

  it.each(pathsOfAllMethods.filter((path) => !path.endsWith("*")))(
    "%s: other methods are refused, to whoever may do everything",
    async (path) => {
      expect((await ask("PURGE", pathWith(path, {}))).status).toBe(405);
    },
  );
});

describe("What anyone may ask", () => {
  const tokens: Record<string, () => Promise<Answer>> = {
    "POST /oauth/token, with a client's secret": async () => askForToken(true),
    "POST /oauth/token, with another secret": async () => askForToken(false),
  };
  async function askForToken(right: boolean) {
    const [client, other] = [await issue({ kind: "client" }), await issue({ kind: "client" })];
    const { client_secret } = right ? client : other;
    return token({
      grant_type: "client_credentials",
      client_id: client.client_id,
      client_secret,
    });
  }

  it.each(rowsOf(toAnyone).map(({ act = "", answers }) => [act, Number(answers)] as const))(
    "%s: %i without a credential or a session",
    async (act, status) => {
      const [method = "", path = ""] = routeOf(act).split(" ");
      const at = pathWith(path, { code: "not_found" });
      const answer = await (tokens[act]?.() ?? anonymous(method, at));
      expect(answer.status).toBe(status);
      if (method === "GET") expect((await anonymous("HEAD", at)).status).toBe(status);
    },
  );
});
