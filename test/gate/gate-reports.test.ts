import { beforeEach, describe, expect, it } from "vitest";
import type { GateReport } from "../../src/gate/state.ts";
import { queueReport, requeueReport, takeReport } from "../../src/http/gate-reports.ts";
import { serviceWith } from "../support/serve";

const service = serviceWith({ TIMEOUTS: { refusedReportMs: 40, servedReportMs: 200 } });
const { memory } = service;

describe("Gate reports of an isolate", () => {
  let tasks: Promise<unknown>[];
  let reports: { credentialId: string; paths: string[]; at: number }[];
  let c: Parameters<typeof queueReport>[0];
  beforeEach(() => {
    [tasks, reports] = [[], []];
    const getByName = (credentialId: string) => ({
      note: async ({ calls }: GateReport) => {
        reports.push({ credentialId, paths: calls.map(({ path }) => path), at: Date.now() });
      },
    });
    c = {
      env: { ...service, gates: { getByName } },
      executionCtx: { waitUntil: (task) => tasks.push(task) },
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
  const queueCall = (id: string, path: string, urgent = false) =>
    queueReport(c, id, { calls: [call(path)] }, urgent);
  const takePaths = (id: string) => takeReport(memory, id)?.calls.map(({ path }) => path);

  it("travel with the next request, and one background task flushes for many requests", async () => {
    const started = Date.now();
    const paths: string[] = [];
    for (let index = 0; Date.now() - started < 900; index += 1) {
      paths.push(...(takePaths("a") ?? []));
      queueCall("a", String(index));
      await scheduler.wait(10);
    }
    expect(reports).toEqual([]);
    expect(tasks).toHaveLength(1);
    await Promise.all(tasks);
    paths.push(...reports.flatMap((report) => report.paths));
    expect(reports).toHaveLength(1);
    expect(paths).toEqual(Array.from(paths, (_, index) => String(index)));
    expect(takePaths("a")).toBeUndefined();
  });

  it("of rejected calls are sent sooner, together with earlier calls", async () => {
    queueCall("b", "served");
    await scheduler.wait(20);
    queueCall("b", "refused", true);
    const started = Date.now();
    await Promise.race([Promise.all(tasks), scheduler.wait(150)]);
    expect(reports.map(({ paths }) => paths)).toEqual([["served", "refused"]]);
    expect((reports[0]?.at ?? 0) - started).toBeLessThan(150);
    await Promise.all(tasks);
    expect(reports).toHaveLength(1);
    queueCall("b", "again");
    await Promise.all(tasks);
    expect(reports).toHaveLength(2);
  });

  it("start a new background task for calls that arrive after the last flush", async () => {
    queueCall("c", "first");
    await Promise.all(tasks);
    queueCall("c", "second");
    expect(tasks).toHaveLength(2);
    await Promise.all(tasks);
    expect(reports.map(({ paths }) => paths)).toEqual([["first"], ["second"]]);
  });

  it("keep undelivered write reports for the next request, through flushes in between", async () => {
    const write = { ticket: 1, bookmark: "b" } as unknown as GateReport["told"][number];
    queueReport(c, "e", { told: [write] });
    const report = takeReport(memory, "e");
    expect(report?.told).toEqual([write]);
    if (report) requeueReport(memory, "e", report);
    await Promise.all(tasks);
    expect(takeReport(memory, "e")).toEqual({ calls: [], told: [write] });
  });

  it("go to the object of their own credential, for 100 credentials at once", async () => {
    for (let index = 0; index < 100; index += 1)
      queueCall(`d${index}`, String(index), index % 2 === 0);
    await Promise.all(tasks);
    expect(reports).toHaveLength(100);
    for (const { credentialId, paths } of reports) expect(credentialId).toBe(`d${paths.join()}`);
  });
});
