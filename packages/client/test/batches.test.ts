import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BatchError, EdgeForms, EdgeFormsError } from "../src/index.ts";
import { FailingService, type Fault } from "./failing-service.ts";
import { StoredItems } from "./stored-items.ts";

const create = (data: Record<string, unknown>) => ({ op: "create", data }) as const;
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

describe("Batches of the client", () => {
  let stored = new StoredItems();
  const service = new FailingService((request) => stored.serve(request));
  let client: EdgeForms;
  beforeAll(async () => {
    client = new EdgeForms({ url: await service.start(), token: "efp_x", timeout: 300 });
  });
  beforeEach(() => {
    stored = new StoredItems();
    service.requests.length = 0;
    service.faults = () => undefined;
  });
  afterAll(() => service.stop());
  const sizes = () => service.requests.map(({ body }) => body.operations.length as number);
  const written = () => [...stored.items.values()].map(({ data }) => data["number"]);
  const orders = () => client.records("orders");

  it("split themselves at 100 operations, and keep the order of results", async () => {
    const results = await orders().batch(times(250, (number) => create({ number })));
    expect(sizes()).toEqual([100, 100, 50]);
    expect(results.map(({ id }) => stored.items.get(id)?.data["number"])).toEqual(
      times(250, Number),
    );
  });

  it("split themselves at 1 MiB of UTF-8", async () => {
    const text = "あ".repeat(100_000);
    await orders().batch(times(10, (number) => create({ number, text })));
    expect(sizes()).toEqual([3, 3, 3, 1]);
    for (const { headers } of service.requests) {
      expect(Number(headers["content-length"])).toBeLessThanOrEqual(1_048_576);
    }
  });

  it("a part that touches more than a batch may is halved until it fits", async () => {
    const results = await orders().batch(times(30, (number) => create({ number, heavy: true })));
    expect(results).toHaveLength(30);
    expect(written()).toEqual(times(30, Number));
    const error = await orders()
      .batch([create({ big: true })])
      .catch((thrown) => thrown as unknown);
    expect(error).toMatchObject({ code: "too_large", status: 413 });
  });

  it("a refused part tells the results before it, and where it was wrong in the whole", async () => {
    const operations = times(250, (number) => create(number === 117 ? { bad: 1 } : { number }));
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
    expect(stored.items.size).toBe(100);
  });

  it("the same operations with the same key are written once, through failures too", async () => {
    const faults: Fault[] = ["lost", undefined, "half", undefined];
    service.faults = (index) => faults[index % faults.length];
    const operations = times(250, (number) => create({ number }));
    const first = await orders().batch(operations, { key: "import-7" });
    const again = await orders().batch(operations, { key: "import-7" });
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(written()).toEqual(times(250, Number));
  });

  it("an empty one asks nothing", async () => {
    expect(await orders().batch([])).toEqual([]);
    expect(service.requests).toEqual([]);
  });

  it("errors of a single update are told as its own", async () => {
    const { id } = stored.add({});
    const error = await orders()
      .update(id, { bad: 1 })
      .catch((thrown) => thrown as unknown);
    expect(error).toMatchObject({ errors: [{ field: "bad", pointer: "/data/bad" }] });
  });
});
