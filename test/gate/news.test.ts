import { beforeEach, describe, expect, it } from "vitest";
import type { News } from "../../src/gate/call-log.ts";
import { keepNews, returnNews, takeNews, waiting } from "../../src/http/gate-reports.ts";

/** What became of calls, on its way to the credential's object. */
describe("What an object has not been told", () => {
  let tasks: Promise<unknown>[];
  let told: { credentialId: string; paths: string[]; at: number }[];
  let c: Parameters<typeof keepNews>[0];
  beforeEach(() => {
    Object.assign(waiting, { refused: 40, served: 200 });
    [tasks, told] = [[], []];
    const getByName = (credentialId: string) => ({
      note: async ({ calls }: News) => {
        told.push({ credentialId, paths: calls.map(({ path }) => path), at: Date.now() });
      },
    });
    c = {
      env: { GATE: { getByName } } as unknown as Bindings,
      executionCtx: {
        waitUntil: (task: Promise<unknown>) => tasks.push(task),
      } as unknown as ExecutionContext,
    };
  });
  const call = (path: string) => ({
    at: Date.now(),
    method: "GET",
    path,
    status: 200,
    milliseconds: 1,
    requestId: "x",
  });
  const note = (id: string, path: string, urgent = false) =>
    keepNews(c, id, { calls: [call(path)] }, urgent);
  const taken = (id: string) => takeNews(id)?.calls.map(({ path }) => path);

  it("travels with the next request, and one answer looks after many", async () => {
    const started = Date.now();
    const all: string[] = [];
    for (let index = 0; Date.now() - started < 900; index += 1) {
      all.push(...(taken("a") ?? []));
      note("a", String(index));
      await scheduler.wait(10);
    }
    expect(told).toEqual([]);
    expect(tasks).toHaveLength(1);
    await Promise.all(tasks);
    all.push(...told.flatMap(({ paths }) => paths));
    expect(told).toHaveLength(1);
    expect(all).toEqual(Array.from(all, (_, index) => String(index)));
    expect(taken("a")).toBeUndefined();
  });

  it("a refusal is told sooner, whoever looks after what came before it", async () => {
    note("b", "served");
    await scheduler.wait(20);
    note("b", "refused", true);
    const started = Date.now();
    await Promise.race([Promise.all(tasks), scheduler.wait(150)]);
    expect(told.map(({ paths }) => paths)).toEqual([["served", "refused"]]);
    expect((told[0]?.at ?? 0) - started).toBeLessThan(150);
    await Promise.all(tasks);
    expect(told).toHaveLength(1);
    note("b", "again");
    await Promise.all(tasks);
    expect(told).toHaveLength(2);
  });

  it("what comes when nobody looks any more is looked after anew", async () => {
    note("c", "first");
    await Promise.all(tasks);
    note("c", "second");
    expect(tasks).toHaveLength(2);
    await Promise.all(tasks);
    expect(told.map(({ paths }) => paths)).toEqual([["first"], ["second"]]);
  });

  it("what could not be told of writes waits for the next request, whoever looked meanwhile", async () => {
    const write = { ticket: 1, bookmark: "b" } as unknown as News["told"][number];
    keepNews(c, "e", { told: [write] });
    const news = takeNews("e");
    expect(news?.told).toEqual([write]);
    if (news) returnNews("e", news);
    await Promise.all(tasks);
    expect(takeNews("e")).toEqual({ calls: [], told: [write] });
  });

  it("100 credentials at once are each told their own", async () => {
    for (let index = 0; index < 100; index += 1) note(`d${index}`, String(index), index % 2 === 0);
    await Promise.all(tasks);
    expect(told).toHaveLength(100);
    for (const { credentialId, paths } of told) expect(credentialId).toBe(`d${paths.join()}`);
  });
});
