import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BatchError, EdgeForms, EdgeFormsError } from "../src/index.ts";
import { FailingService, type Fault } from "./failing-service.ts";
import { StoredItems } from "./stored-items.ts";

const create = (data: Record<string, unknown>) => ({ op: "create", data }) as const;
const repeat = <T>(count: number, build: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => build(index));

describe("Client batches", () => {
  let storedItems = new StoredItems();
  const service = new FailingService((request) => storedItems.serve(request));
  let client: EdgeForms;
  beforeAll(async () => {
    client = new EdgeForms({ url: await service.start(), token: "efp_x", timeout: 300 });
  });
  beforeEach(() => {
    storedItems = new StoredItems();
    service.requests.length = 0;
    service.faults = () => undefined;
  });
  afterAll(() => service.stop());
  const batchSizes = () => service.requests.map(({ body }) => body.operations.length as number);
  const storedNumbers = () => [...storedItems.items.values()].map(({ data }) => data["number"]);
  const orders = () => client.records("orders");

  it("sends at most 100 operations per request and keeps the order of results", async () => {
    const results = await orders().batch(repeat(250, (number) => create({ number })));
    expect(batchSizes()).toEqual([100, 100, 50]);
    expect(results.map(({ id }) => storedItems.items.get(id)?.data["number"])).toEqual(
      repeat(250, Number),
    );
  });

  it("sends at most 1 MiB of UTF-8 per request", async () => {
    const text = "あ".repeat(100_000);
    await orders().batch(repeat(10, (number) => create({ number, text })));
    expect(batchSizes()).toEqual([3, 3, 3, 1]);
    for (const { headers } of service.requests) {
      expect(Number(headers["content-length"])).toBeLessThanOrEqual(1_048_576);
    }
  });

  it("halves a part until it fits when the service returns 413 too_large", async () => {
    const results = await orders().batch(repeat(30, (number) => create({ number, heavy: true })));
    expect(results).toHaveLength(30);
    expect(storedNumbers()).toEqual(repeat(30, Number));
    const error = await orders()
      .batch([create({ big: true })])
      .catch((thrown) => thrown as unknown);
    expect(error).toMatchObject({ code: "too_large", status: 413 });
  });

  it("throws BatchError with earlier results and whole-batch indexes when a part is rejected", async () => {
    const operations = repeat(250, (number) => create(number === 117 ? { bad: 1 } : { number }));
    const error = await orders()
      .batch(operations)
      .catch((thrown) => thrown as unknown);
    expect(error).toBeInstanceOf(BatchError);
    expect(error).toBeInstanceOf(EdgeFormsError);
    const { results, errors, code, requestId, message } = error as BatchError;
    expect([results.length, code, requestId]).toEqual([100, "invalid_input", "request-1"]);
    expect(errors).toMatchObject([
      { field: "operations[117].data.bad", pointer: "/operations/117/data/bad" },
    ]);
    expect(message).toContain("operations[117].data.bad");
    expect(storedItems.items.size).toBe(100);
  });

  it("writes repeated operations with the same key once, despite failures", async () => {
    const faults: Fault[] = ["lost", undefined, "half", undefined];
    service.faults = (index) => faults[index % faults.length];
    const operations = repeat(250, (number) => create({ number }));
    const first = await orders().batch(operations, { key: "import-7" });
    const replayed = await orders().batch(operations, { key: "import-7" });
    expect(replayed.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(storedNumbers()).toEqual(repeat(250, Number));
  });

  it("sends no request for an empty batch", async () => {
    expect(await orders().batch([])).toEqual([]);
    expect(service.requests).toEqual([]);
  });

  it("reports field errors of a single update without an operation index", async () => {
    const { id } = storedItems.add({});
    const error = await orders()
      .update(id, { bad: 1 })
      .catch((thrown) => thrown as unknown);
    expect(error).toMatchObject({ errors: [{ field: "bad", pointer: "/data/bad" }] });
  });
});
