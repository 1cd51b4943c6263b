import { beforeAll, describe, expect, it } from "vitest";
import { Client, type Json } from "../support/client";
import { accessToken } from "../support/oauth";
import { client, everything, issue, makeApp, makeForm } from "../support/service";
import { world } from "../support/world";
import {
  comparable,
  isOfFile,
  isRead,
  missingItem,
  rows,
  send,
  sendHead,
  sendInvalid,
  type Row,
} from "./api-permissions";
import { countAuditEntries } from "./audit-count";

describe("Credentials for some apps and forms", () => {
  let visible: { app: string; form: string; record: string };
  /** Callers that see one app and one form, but not those of the requests. */
  const limitedCallers: [name: string, caller: Client][] = [];
  let fullCaller: Client;
  beforeAll(async () => {
    fullCaller = await client();
    const fields = [{ key: "title", type: "text" }];
    const app = await makeApp(fullCaller, fields, { receipt_prefix: "OUR-" });
    const form = await makeForm(fullCaller, fields);
    const record = (await fullCaller.post(`/apps/${app}/records`, { data: {} })).body.id;
    visible = { app, form, record };
    const shared = await world();
    const visibleOnly = { resources: [`app:${app}`, `form:${form}`] };
    const swappedKinds = { resources: [`app:${shared.form.key}`, `form:${shared.app.key}`] };
    const issued = await issue({ ...visibleOnly, kind: "client" });
    limitedCallers.push(
      ["a token for other collections", await client(visibleOnly)],
      ["a token for the same keys of the other kind", await client(swappedKinds)],
      ["an access token for other collections", new Client(await accessToken(issued))],
    );
  });

  it("get 404 on every route with an app, a form or an item", () => {
    const mismatches = rows.filter(
      ({ route, outside }) => route.includes("/:") !== (outside === "404"),
    );
    expect(mismatches).toEqual([]);
  });

  it.each(rows.filter(({ outside }) => outside === "404").map((row) => [row.route, row] as const))(
    "%s: get the same 404 for a hidden as for a missing item, before any other error",
    async (_, row) => {
      await world();
      const entriesBefore = await countAuditEntries();
      // A caller with full access gets the same 404. PUT would create the definition.
      const missingInFull = row.route.startsWith("PUT ")
        ? undefined
        : comparable(await send(fullCaller, row, missingItem(row)));
      for (const [name, caller] of limitedCallers) {
        const missing = await send(caller, row, missingItem(row));
        expect([name, missing.status, missing.body.code]).toEqual([name, 404, "not_found"]);
        expect([name, comparable(await send(caller, row))]).toEqual([name, comparable(missing)]);
        expect([name, comparable(await sendInvalid(caller, row))]).toEqual([
          name,
          comparable(missing),
        ]);
        if (isRead(row)) {
          const { status, text } = await sendHead(caller, row);
          expect([name, status, text]).toEqual([name, 404, ""]);
        }
        if (missingInFull) expect(missingInFull).toEqual(comparable(missing));
      }
      expect(await countAuditEntries()).toBe(entriesBefore);
    },
  );

  it.each(
    rows
      .filter(({ route }) => route.includes("/records/:id"))
      .map((row) => [row.route, row] as const),
  )("%s: get 404 for a record under the path of another app", async (_, row) => {
    const { app } = await world();
    const [, limitedCaller = fullCaller] = limitedCallers[0] ?? [];
    const missing = await send(limitedCaller, row, { ...missingItem(row), key: visible.app });
    expect(missing.status).toBe(404);
    for (const parameters of [
      { key: visible.app, id: app.id },
      { key: visible.app, id: app.receipt },
      { key: app.key, id: visible.record },
      { key: app.key, id: "OUR-000001" },
    ]) {
      for (const caller of [limitedCaller, fullCaller]) {
        expect([parameters, comparable(await send(caller, row, parameters))]).toEqual([
          parameters,
          comparable(missing),
        ]);
        expect([parameters, comparable(await sendInvalid(caller, row, parameters))]).toEqual([
          parameters,
          comparable(missing),
        ]);
      }
    }
    expect(
      (await send(limitedCaller, row, { key: visible.app, id: visible.record })).status,
    ).not.toBe(404);
    expect(
      (await send(limitedCaller, row, { key: visible.app, id: "OUR-000001" })).status,
    ).not.toBe(404);
  });

  it.each(
    rows.filter(({ outside }) => outside === "omitted").map((row) => [row.route, row] as const),
  )("%s: get a list without hidden collections", async (_, row) => {
    const kind = row.route.endsWith("/apps") ? "app" : "form";
    const shared = await world();
    const keys = async (caller: Client) =>
      (await send(caller, row)).body.items.map(({ key }: Json) => key);
    expect(await keys(fullCaller)).toEqual(
      expect.arrayContaining([shared[kind].key, visible[kind]]),
    );
    const expectedKeys = [[visible[kind]], [], [visible[kind]]];
    for (const [i, [name, caller]] of limitedCallers.entries()) {
      expect([name, await keys(caller)]).toEqual([name, expectedKeys[i]]);
    }
  });

  it("get lists and searches with items of that collection only", async () => {
    const [, limitedCaller = fullCaller] = limitedCallers[0] ?? [];
    const shared = await world();
    const [list, search] = [
      await limitedCaller.get(`/apps/${visible.app}/records`),
      await limitedCaller.post(`/forms/${visible.form}/submissions/search`, {}),
    ];
    expect(list.body.items.map(({ id }: Json) => id)).toEqual([visible.record]);
    expect(search.text).not.toContain(shared.form.id);
  });

  it("get 403 before 404 without the permission", async () => {
    // The path of a file does not name its kind, so the permission for either kind gets past 403.
    const allowedOf = (row: Row) =>
      isOfFile(row)
        ? `${row.allowed}, ${row.allowed.replaceAll("submissions", "records")}`
        : row.allowed;
    const rowsByPermissions = Map.groupBy(rows, allowedOf);
    rowsByPermissions.delete("anything");
    for (const [allowed, sameRows] of rowsByPermissions) {
      const otherPermissions = everything.filter(
        (permission) => !allowed.split(", ").includes(permission),
      );
      const caller = await client({ permissions: otherPermissions, resources: ["app:other"] });
      for (const row of sameRows)
        expect([row.route, (await sendInvalid(caller, row)).status]).toEqual([row.route, 403]);
    }
  });
});
