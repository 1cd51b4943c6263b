import { beforeAll, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import { freshKey } from "../support/service";
import type { Client } from "../support/client";
import {
  databasesOf,
  first,
  home,
  isolate,
  migrate,
  newCaller,
  second,
  useOnly,
  valueOf,
} from "./installation";
import { finish, idOf, letTimePass, phaseOf, request, rowsOf, scheduleContext } from "./moves";

const title = { key: "title", type: "text" };
const aReference = (app: string) => ({ key: "customer", type: "reference", app });

let client: Client;
beforeAll(async () => {
  await migrate();
  client = isolate(await newCaller());
});

it("A form that is no longer linked when its move starts again stays, and leaves no copy", async () => {
  const [app, moving, leaving, joining] = ["app", "moving", "leaving", "joining"].map(freshKey) as [
    string,
    string,
    string,
    string,
  ];
  await useOnly("DATA_01");
  const define = async (path: string, ...fields: object[]) =>
    expect([path, (await client.put(`/${path}/schema`, { fields })).status]).toEqual([
      path,
      expect.toSatisfy((status: number) => status < 300),
    ]);
  await define(`apps/${app}`, title);
  await define(`forms/${moving}`, title, aReference(app));
  await define(`forms/${leaving}`, title, aReference(app));
  await define(`forms/${joining}`, title);
  await home.prepare("update data_database set used_from = 0").run();
  const path = `/forms/${leaving}/submissions`;
  expect((await client.post(path, { data: { title: "stays" } })).status).toBe(201);
  const id = await idOf(leaving);

  await request(`form:${moving}`, "DATA_02");
  for (let runs = 0; runs < 3; runs += 1) await runMoves(scheduleContext());
  expect(await phaseOf(`form:${moving}`)).toBe("following");
  expect((await rowsOf(second, id))["item"]).toHaveLength(1);

  await define(`forms/${leaving}`, title);
  await define(`forms/${joining}`, title, aReference(app));
  await letTimePass();
  await finish(`form:${moving}`);
  expect(await phaseOf(`form:${moving}`)).toBe("kept");
  for (const key of [app, moving, joining]) expect(await databasesOf(key)).toEqual(["DATA_02"]);
  expect(await databasesOf(leaving)).toEqual(["DATA_01"]);
  const copy = Object.entries(await rowsOf(second, id)).filter(([, rows]) => rows.length > 0);
  expect(copy).toEqual([]);
  const isMoving = "select moving from placement where collection_id = ?";
  expect(await valueOf(home, isMoving, id)).toBe(0);
  for (const db of [first, second])
    expect(await valueOf(db, "select count(*) from moving")).toBe(0);
  expect((await client.post(path, { data: { title: "goes on" } })).status).toBe(201);
});
