import { beforeAll, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import { Client, type Json } from "../support/client";
import { freshKey } from "../support/service";
import { area, databasesOf, isolate, migrate, newCaller, useOnly } from "./installation";
import { letTimePass, phaseOf, request, scheduleContext } from "./moves";

let caller: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
  await useOnly("DATA_01");
});

const viewOf = (team: string) => ({
  views: [{ key: "v", name: "V", conditions: [{ field: "team", op: "eq", value: team }] }],
});

it("A narrow credential sees what its view shows now in every phase of a move, in old and new isolates", async () => {
  const form = freshKey("moving");
  const items = `/forms/${form}/submissions`;
  const owner = isolate(caller);
  const fields = [{ key: "team", type: "text" }];
  expect((await owner.put(`/forms/${form}/schema`, { fields, ...viewOf("a") })).status).toBe(201);
  const ids: Record<string, string> = {};
  for (const team of ["a", "b"]) ids[team] = (await owner.post(items, { data: { team } })).body.id;
  const issued = await area("/integrations", {
    kind: "token",
    name: "Partner",
    permissions: ["submissions:read", "submissions:write"],
    resources: [`form:${form}/v`],
    expires: "30d",
    requests: 10_000,
    writes: 10_000,
  });
  const { token } = issued.body;
  const old = isolate(new Client(token));
  const seenBy = async (partner: Client) => {
    const lists = [
      await partner.get(items),
      await partner.post(`${items}/search`, { sort: [{ field: "team" }] }),
    ];
    const statuses = Object.entries(ids).map(
      async ([team, id]) => [team, (await partner.get(`/submissions/${id}`)).status] as const,
    );
    const read = Object.fromEntries(await Promise.all(statuses));
    return [...lists.map(({ body }) => body.items.map(({ data }: Json) => data.team)), read];
  };
  const shows = (team: string) => [[team], [team], { a: 404, b: 404, [team]: 200 }];
  expect(await seenBy(old)).toEqual(shows("a"));
  await useOnly("DATA_01", "DATA_02");
  await request(`form:${form}`, "DATA_02");
  const phases: unknown[] = [];
  for (let run = 0; run < 20 && phases.at(-1) !== "kept"; run += 1) {
    const team = run % 2 === 0 ? "b" : "a";
    const stale = isolate(new Client(token));
    await seenBy(stale);
    expect((await isolate(caller).patch(`/forms/${form}/schema`, viewOf(team))).status).toBe(200);
    await runMoves(scheduleContext());
    for (const partner of [old, stale, isolate(new Client(token))])
      expect([run, ...(await seenBy(partner))]).toEqual([run, ...shows(team)]);
    const refused = await old.patch(`/submissions/${ids[team === "a" ? "b" : "a"]}`, {
      data: { team },
    });
    expect(refused.status).toBe(404);
    phases.push(await phaseOf(`form:${form}`));
    await letTimePass();
  }
  expect([phases.at(-1), await databasesOf(form)]).toEqual(["kept", ["DATA_02"]]);
});
