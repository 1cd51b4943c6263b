import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EdgeForms, EdgeFormsError, type Options } from "../src/index.ts";
import { FailingService, faults, problem, type Fault } from "./failing-service.ts";
import { StoredItems } from "./stored-items.ts";

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("It was not refused."),
    (error: unknown) => error as EdgeFormsError,
  );

describe("Calls of the client", () => {
  let stored: StoredItems;
  let service: FailingService;
  let url: string;
  const clientWith = (options: Partial<Options> = {}) =>
    new EdgeForms({ url, token: "efp_x", timeout: 300, ...options });
  beforeEach(async () => {
    stored = new StoredItems();
    service = new FailingService(stored.serve);
    url = await service.start();
  });
  afterEach(() => service.stop());

  /** The first `count` requests fail in this way. */
  const fail = (fault: Fault, count = 1) => {
    service.faults = (index) => (index < count ? fault : undefined);
  };

  it("400 creates through every kind of failure: none lost, none doubled", async () => {
    // Every fifth request fails, each kind as often as the others.
    service.faults = (index) => (index % 5 === 0 ? faults[(index / 5) % faults.length] : undefined);
    const orders = clientWith({ concurrency: 64, retries: 20 }).records("orders");
    const numbers = Array.from({ length: 400 }, (_, number) => number);
    const made = await Promise.all(numbers.map((number) => orders.create({ number })));
    expect(made.map(({ data }) => data["number"])).toEqual(numbers);
    expect(stored.items.size).toBe(400);
    expect(new Set(made.map(({ id }) => id)).size).toBe(400);
  });

  it.each(faults)("an update by a function happens once through %s", async (fault) => {
    const { id } = stored.add({ count: 1 });
    service.faults = (_, { method }) =>
      method === "POST" && service.requests.filter((each) => each.method === "POST").length === 1
        ? fault
        : undefined;
    const orders = clientWith().records("orders");
    const { item } = await orders.update(id, ({ data }) => ({ count: Number(data["count"]) + 1 }));
    expect([item?.data, stored.items.get(id)?.version]).toEqual([{ count: 2 }, 2]);
  });

  it("50 simultaneous updates of one item all count", async () => {
    const { id } = stored.add({ count: 0 });
    const orders = clientWith({ concurrency: 16 }).records("orders");
    const increase = () => orders.update(id, ({ data }) => ({ count: Number(data["count"]) + 1 }));
    await Promise.all(Array.from({ length: 50 }, increase));
    expect(stored.items.get(id)?.data).toEqual({ count: 50 });
  });

  it("a deletion whose answer was lost is done; one of what never was is an error", async () => {
    const { id } = stored.add({});
    fail("lost");
    const submissions = clientWith().submissions("purchase");
    await submissions.delete(id);
    expect(stored.items.size).toBe(0);
    expect((await caught(submissions.delete(id))).code).toBe("not_found");
  });

  it("waits for as long as Retry-After says, and holds up other writes, not reads", async () => {
    const { id } = stored.add({});
    const times: number[] = [];
    service = await replaced(service, (request) => {
      if (request.method === "GET") return stored.serve(request);
      const refused = times.push(Date.now()) === 1;
      const told = { "Retry-After": "1" };
      return refused ? problem(429, "rate_limited", {}, told) : stored.serve(request);
    });
    const orders = clientWith().records("orders");
    const first = orders.create({});
    while (times.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = orders.create({});
    const before = Date.now();
    await orders.get(id);
    expect(Date.now() - before).toBeLessThan(500);
    await Promise.all([first, second]);
    expect(times).toHaveLength(3);
    for (const later of times.slice(1))
      expect(later - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it("holds up writes when RateLimit says that none are left", async () => {
    const times: number[] = [];
    service = await replaced(service, (request) => {
      times.push(Date.now());
      const left = { RateLimit: '"default";r=9;t=60, "write";r=0;t=1' };
      return { ...stored.serve(request), ...(times.length === 1 ? { headers: left } : {}) };
    });
    const orders = clientWith().records("orders");
    await orders.create({});
    await orders.create({});
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it("throws a Retry-After that is longer than longestWait", async () => {
    service = await replaced(service, () =>
      problem(429, "rate_limited", {}, { "Retry-After": "50" }),
    );
    const error = await caught(clientWith({ longestWait: 10_000 }).records("orders").create({}));
    expect([error.code, error.retryAfter, service.requests.length]).toEqual([
      "rate_limited",
      50,
      1,
    ]);
  });

  it.each(["503", "500", "cut", "slow", "lost"] as const)(
    "never repeats what is not safe after %s",
    async (fault) => {
      fail(fault, 9);
      const error = await caught(clientWith().request("POST", "/webhooks", { body: {} }));
      expect(error).toBeInstanceOf(EdgeFormsError);
      expect([service.requests.length, error.doubtful]).toEqual([1, true]);
    },
  );

  it("repeats what is not safe when it was told that nothing was done", async () => {
    fail("429", 2);
    await clientWith().request("POST", "/webhooks", { body: { data: {} } });
    expect([service.requests.length, stored.items.size]).toEqual([3, 1]);
  });

  it("gives up after its retries, with what happened last", async () => {
    fail("cut", 9);
    const error = await caught(clientWith({ retries: 2 }).records("orders").get("rec_1"));
    expect([error.code, error.status, error.doubtful]).toEqual(["network_error", 0, true]);
    expect(service.requests).toHaveLength(3);
    service.faults = () => "slow";
    const late = await caught(clientWith({ retries: 0 }).records("orders").get("rec_1"));
    expect(late.code).toBe("timeout");
  });

  it("an abort ends a request, a wait and a place in the queue, with the signal's reason", async () => {
    const reason = new Error("The page was closed.");
    const aborted = (options: Partial<Options>, fault: Fault, calls = 1) => {
      service.faults = () => fault;
      const orders = clientWith({ timeout: 5000, ...options }).records("orders");
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 60);
      const { signal } = controller;
      return Promise.all(
        Array.from({ length: calls }, () => caught(orders.create({}, { signal }))),
      );
    };
    expect(await aborted({}, "slow")).toEqual([reason]);
    expect(await aborted({ retries: 100 }, "cut")).toEqual([reason]);
    expect(await aborted({ concurrency: 1 }, "slow", 3)).toEqual([reason, reason, reason]);
    const signal = AbortSignal.abort(reason);
    expect(await caught(clientWith().records("orders").create({}, { signal }))).toBe(reason);
  });

  it("problems are errors with code, errors and requestId", async () => {
    const errors = [
      { field: "qty", pointer: "/data/qty", code: "too_small", reason: "At least 1." },
    ];
    service = await replaced(service, () => problem(422, "invalid_input", { errors }));
    const error = await caught(clientWith().records("orders").create({}));
    expect(error).toMatchObject({
      name: "EdgeFormsError",
      code: "invalid_input",
      status: 422,
      requestId: "request-1",
      errors,
      message: "invalid_input: Told on purpose. qty: At least 1.",
    });
    expect(service.requests).toHaveLength(1);
  });

  it("follows no redirect, which would carry the credential elsewhere", async () => {
    service = await replaced(service, () => ({ status: 302, headers: { Location: "/else" } }));
    const error = await caught(clientWith().records("orders").get("rec_1"));
    expect([error.code, error.status, service.requests.length]).toEqual([
      "unexpected_answer",
      302,
      1,
    ]);
  });

  it("exchanges client credentials once for all callers, and again when the token is refused", async () => {
    let tokens = 0;
    let good = "";
    service = await replaced(service, (request) => {
      if (request.path === "/oauth/token") {
        const asked = new URLSearchParams(request.body as string);
        if (asked.get("client_secret") !== "efs_x")
          return { status: 401, body: { error: "invalid_client" } };
        tokens += 1;
        good = `efa_${tokens}`;
        return { status: 200, body: { access_token: good, expires_in: 3600 } };
      }
      const right = request.headers.authorization === `Bearer ${good}`;
      return right ? stored.serve(request) : problem(401, "unauthenticated");
    });
    fail("cut");
    const credentials = { clientId: "efc_x", clientSecret: "efs_x" };
    const orders = new EdgeForms({ url, credentials }).records("orders");
    await Promise.all([orders.create({}), orders.create({}), orders.create({})]);
    expect(tokens).toBe(1);
    good = "revoked";
    await Promise.all([orders.create({}), orders.create({})]);
    expect([tokens <= 3, stored.items.size]).toEqual([true, 5]);
    const wrong = new EdgeForms({ url, credentials: { ...credentials, clientSecret: "no" } });
    const asked = service.requests.length;
    expect(await caught(wrong.records("orders").get("rec_1"))).toMatchObject({
      code: "invalid_client",
    });
    expect(service.requests).toHaveLength(asked + 1);
  });

  /** Another service in place of the present one. */
  async function replaced(
    old: FailingService,
    serve: ConstructorParameters<typeof FailingService>[0],
  ) {
    await old.stop();
    const next = new FailingService(serve);
    url = await next.start();
    return next;
  }
});
