import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { freshKey, issue } from "../support/service";
import { area, isolate, migrate, newCaller, useOnly } from "./installation";
import { intercepted } from "./moves";

/** The access of credentials to a restored form, whose rows are in another database. */

let caller: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
  await useOnly("DATA_01");
});

const remove = (form: string, replaced?: object) =>
  area(`/forms/${form}/delete`, { confirm: form }, { replaced });

async function restore(form: string, replaced?: object): Promise<number> {
  const { body } = await area("/deleted");
  const { id } = body.items.find(({ key }: Json) => key === form) ?? {};
  return (await area(`/deleted/${id}/restore`, {}, { replaced })).status;
}

const permissions = ["submissions:read"];

async function makeWorld() {
  const form = freshKey("form");
  const views = [{ key: "titles", name: "Titles", fields: ["title"] }];
  const fields = ["title", "secret"].map((key) => ({ key, type: "text" }));
  const { status } = await isolate(caller).put(`/forms/${form}/schema`, { fields, views });
  expect(status).toBe(201);
  const { id } = await issue({ permissions, resources: [`form:${form}`] });
  const resources = async () => (await area(`/integrations/${id}`)).body.resources;
  const edit = (named: string[], replaced?: object) =>
    area(`/integrations/${id}`, { permissions, resources: named }, { replaced });
  const narrow = () => edit([`form:${form}/titles`]);
  return { form, resources, narrow, edit };
}

const returnsAccess = /update "credential"/;

/** Removes a form, whose credentials lose it only after somebody has restored it. */
async function removeLate(form: string): Promise<void> {
  let isRestored = false;
  const late = intercepted(async (sql, run) => {
    if (returnsAccess.test(sql) && !isRestored) {
      isRestored = true;
      expect(await restore(form)).toBe(204);
    }
    return run();
  });
  await remove(form, late);
  expect(isRestored).toBe(true);
}

describe("A credential", () => {
  it("regains a form when its restore is repeated after a failure", async () => {
    const { form, resources } = await makeWorld();
    expect((await remove(form)).status).toBe(204);
    expect(await resources()).toEqual([]);
    const failing = intercepted(async (sql, run) => {
      if (returnsAccess.test(sql)) throw new Error("D1_ERROR: Network connection lost.");
      return run();
    });
    expect(await restore(form, failing)).toBeGreaterThanOrEqual(500);
    expect(await restore(form)).toBe(204);
    expect(await resources()).toEqual([`form:${form}`]);
  });

  it("that got only a view of a form regains no more, if it lost the whole form in a restore before", async () => {
    const { form, resources, narrow } = await makeWorld();
    await removeLate(form);
    expect(await resources()).toEqual([]);
    expect((await narrow()).status).toBe(200);
    await remove(form);
    expect(await restore(form)).toBe(204);
    expect(await resources()).toEqual([`form:${form}/titles`]);
  });

  it("from which somebody took a form regains nothing of it, if it lost the whole form in a restore before", async () => {
    const { form, resources, narrow, edit } = await makeWorld();
    await removeLate(form);
    expect((await narrow()).status).toBe(200);
    expect((await edit([`form:${freshKey("other")}`])).status).toBe(200);
    const others = await resources();
    await remove(form);
    expect(await restore(form)).toBe(204);
    expect(await resources()).toEqual(others);
  });

  it("keeps the view that somebody else chose while an earlier choice is undone", async () => {
    const { form, resources, edit } = await makeWorld();
    const editViews = (keys: string[]) =>
      isolate(caller).patch(`/forms/${form}/schema`, {
        views: keys.map((key) => ({ key, name: key, fields: ["title"] })),
      });
    expect((await editViews(["titles", "others"])).status).toBe(200);
    const done: string[] = [];
    const once = async (name: string, act: () => Promise<{ status: number }>) => {
      if (done.includes(name)) return;
      done.push(name);
      expect((await act()).status).toBe(200);
    };
    const slow = intercepted(async (sql, run) => {
      if (returnsAccess.test(sql)) await once("removes", () => editViews(["others"]));
      if (/definition_changed|update "collection"/.test(sql))
        await once("chooses", () => edit([`form:${form}/others`]));
      return run();
    });
    expect((await edit([`form:${form}/titles`], slow)).status).toBe(422);
    expect([done, await resources()]).toEqual([["removes", "chooses"], [`form:${form}/others`]]);
  });
});
