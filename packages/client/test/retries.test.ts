import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EdgeForms, EdgeFormsError, type Options } from "../src/index.ts";
import { FailingService, faults, problem, type Fault } from "./failing-service.ts";
import { StoredItems } from "./stored-items.ts";

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("It was not refused."),
    (error: unknown) => error as EdgeFormsError,
  );

describe("Client calls", () => {
  let storedItems: StoredItems;
  let service: FailingService;
  let url: string;
  const clientWith = (options: Partial<Options> = {}) =>
    new EdgeForms({ url, token: "efp_x", timeout: 300, ...options });
  beforeEach(async () => {
    storedItems = new StoredItems();
    service = new FailingService(storedItems.serve);
    url = await service.start();
  });
  afterEach(() => service.stop());

  /** Makes the first `count` requests fail. */
  const failFirst = (fault: Fault, count = 1) => {
    service.faults = (index) => (index < count ? fault : undefined);
  };

  it("stores 400 creates exactly once through every kind of failure", async () => {
    // Every fifth request fails, and all kinds of failure are equally frequent.
    service.faults = (index) => (index % 5 === 0 ? faults[(index / 5) % faults.length] : undefined);
    const orders = clientWith({ concurrency: 64, retries: 20 }).records("orders");
    const numbers = Array.from({ length: 400 }, (_, number) => number);
    const created = await Promise.all(numbers.map((number) => orders.create({ number })));
    expect(created.map(({ data }) => data["number"])).toEqual(numbers);
    expect(storedItems.items.size).toBe(400);
    expect(new Set(created.map(({ id }) => id)).size).toBe(400);
  });

  it.each(faults)("applies an update by a function once through %s", async (fault) => {
    const { id } = storedItems.add({ count: 1 });
    service.faults = (_, { method }) =>
      method === "POST" &&
      service.requests.filter((request) => request.method === "POST").length === 1
        ? fault
        : undefined;
    const orders = clientWith().records("orders");
    const { item } = await orders.update(id, ({ data }) => ({ count: Number(data["count"]) + 1 }));
    expect([item?.data, storedItems.items.get(id)?.version]).toEqual([{ count: 2 }, 2]);
  });

  it("applies all of 50 simultaneous updates of one item", async () => {
    const { id } = storedItems.add({ count: 0 });
    const orders = clientWith({ concurrency: 16 }).records("orders");
    const increase = () => orders.update(id, ({ data }) => ({ count: Number(data["count"]) + 1 }));
    await Promise.all(Array.from({ length: 50 }, increase));
    expect(storedItems.items.get(id)?.data).toEqual({ count: 50 });
  });

  it("spreads 40 increments by 8 clients, with fewer than 60 conflicts", async () => {
    const { id } = storedItems.add({ count: 0 });
    let conflicts = 0;
    service = await replaceService(service, async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 3));
      const answer = storedItems.serve(request);
      if (answer.status === 412) conflicts += 1;
      return answer;
    });
    const increaseFiveTimes = async () => {
      const orders = clientWith().records("orders");
      for (let round = 0; round < 5; round += 1)
        await orders.update(id, ({ data }) => ({ count: Number(data["count"]) + 1 }));
    };
    await Promise.all(Array.from({ length: 8 }, increaseFiveTimes));
    expect(storedItems.items.get(id)?.data).toEqual({ count: 40 });
    expect(conflicts).toBeLessThan(60);
  });

  it("throws for an empty ETag before it sends anything", async () => {
    const client = clientWith();
    const submissions = client.submissions("purchase");
    for (const call of [
      submissions.update("sub_1", { count: 1 }, { ifMatch: "" }),
      submissions.update("sub_1", () => ({ count: 1 }), { ifMatch: " " }),
      submissions.delete("sub_1", { ifMatch: "" }),
      submissions.batch([{ op: "delete", id: "sub_1", if_match: "" }]),
      client.request("PATCH", "/submissions/sub_1", { body: {}, headers: { "if-match": "" } }),
    ]) {
      const error = await caught(call);
      expect([error.name, error.message]).toEqual([
        "TypeError",
        expect.stringMatching(/^(ifMatch|if_match|If-Match) is empty\./),
      ]);
    }
    expect(service.requests).toEqual([]);
  });

  it.each([
    ["forms.example.com", "has no scheme such as https://"],
    ["localhost:8787", "has no scheme such as https://"],
    ["ftp://forms.example.com", "is not an http or https address"],
    ["https://forms.example.com/api/v1", "ends in /api/v1, which the client adds"],
    ["https://forms.example.com/api/v1/", "ends in /api/v1, which the client adds"],
    ["https://forms.example.com/?a=1", "has a query or a fragment"],
  ])("explains the wrong address %s", (address, fault) => {
    expect(() => new EdgeForms({ url: address, token: "efp_x" })).toThrow(
      `The url "${address}" ${fault}. Set url to an address like https://forms.example.com.`,
    );
  });

  it("names the address and the cause of a refused connection", async () => {
    await service.stop();
    const error = await caught(clientWith({ retries: 0 }).records("orders").get("rec_1"));
    expect([error.code, error.message]).toEqual([
      "network_error",
      `The connection to ${url} failed: connect ECONNREFUSED ${url.replace("http://", "")}`,
    ]);
    await service.start();
  });

  it("succeeds when the response to a deletion is lost, and throws not_found for a missing item", async () => {
    const { id } = storedItems.add({});
    failFirst("lost");
    const submissions = clientWith().submissions("purchase");
    await submissions.delete(id);
    expect(storedItems.items.size).toBe(0);
    expect((await caught(submissions.delete(id))).code).toBe("not_found");
  });

  it("waits for Retry-After and delays other writes, but not reads", async () => {
    const { id } = storedItems.add({});
    const times: number[] = [];
    service = await replaceService(service, (request) => {
      if (request.method === "GET") return storedItems.serve(request);
      const isFirst = times.push(Date.now()) === 1;
      const headers = { "Retry-After": "1" };
      return isFirst ? problem(429, "rate_limited", {}, headers) : storedItems.serve(request);
    });
    const orders = clientWith().records("orders");
    const first = orders.create({});
    while (times.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = orders.create({});
    const startedAt = Date.now();
    await orders.get(id);
    expect(Date.now() - startedAt).toBeLessThan(500);
    await Promise.all([first, second]);
    expect(times).toHaveLength(3);
    for (const time of times.slice(1)) expect(time - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it("delays writes when RateLimit reports that none remain", async () => {
    const times: number[] = [];
    service = await replaceService(service, (request) => {
      times.push(Date.now());
      const headers = { RateLimit: '"default";r=9;t=60, "write";r=0;t=1' };
      return { ...storedItems.serve(request), ...(times.length === 1 ? { headers } : {}) };
    });
    const orders = clientWith().records("orders");
    await orders.create({});
    await orders.create({});
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it("throws rate_limited when Retry-After is longer than longestWait", async () => {
    service = await replaceService(service, () =>
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
    "never retries an unsafe request after %s",
    async (fault) => {
      failFirst(fault, 9);
      const error = await caught(clientWith().request("POST", "/webhooks", { body: {} }));
      expect(error).toBeInstanceOf(EdgeFormsError);
      expect([service.requests.length, error.doubtful]).toEqual([1, true]);
    },
  );

  it("retries an unsafe request when the service returns 429", async () => {
    failFirst("429", 2);
    await clientWith().request("POST", "/webhooks", { body: { data: {} } });
    expect([service.requests.length, storedItems.items.size]).toEqual([3, 1]);
  });

  it("throws the last error after all retries", async () => {
    failFirst("cut", 9);
    const error = await caught(clientWith({ retries: 2 }).records("orders").get("rec_1"));
    expect([error.code, error.status, error.doubtful]).toEqual(["network_error", 0, true]);
    expect(service.requests).toHaveLength(3);
    service.faults = () => "slow";
    const timedOut = await caught(clientWith({ retries: 0 }).records("orders").get("rec_1"));
    expect(timedOut.code).toBe("timeout");
  });

  it("throws the signal's reason when a request, a wait or a queued call is aborted", async () => {
    const reason = new Error("The page was closed.");
    const abortedCalls = (options: Partial<Options>, fault: Fault, calls = 1) => {
      service.faults = () => fault;
      const orders = clientWith({ timeout: 5000, ...options }).records("orders");
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 60);
      const { signal } = controller;
      return Promise.all(
        Array.from({ length: calls }, () => caught(orders.create({}, { signal }))),
      );
    };
    expect(await abortedCalls({}, "slow")).toEqual([reason]);
    expect(await abortedCalls({ retries: 100 }, "cut")).toEqual([reason]);
    expect(await abortedCalls({ concurrency: 1 }, "slow", 3)).toEqual([reason, reason, reason]);
    const signal = AbortSignal.abort(reason);
    expect(await caught(clientWith().records("orders").create({}, { signal }))).toBe(reason);
  });

  it("throws problems as errors with code, errors and requestId", async () => {
    const errors = [
      { field: "qty", pointer: "/data/qty", code: "too_small", reason: "At least 1." },
    ];
    service = await replaceService(service, () => problem(422, "invalid_input", { errors }));
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

  it("follows no redirect, so that the credential stays with the service", async () => {
    service = await replaceService(service, () => ({
      status: 302,
      headers: { Location: "/else" },
    }));
    const error = await caught(clientWith().records("orders").get("rec_1"));
    expect([error.code, error.status, service.requests.length]).toEqual([
      "unexpected_answer",
      302,
      1,
    ]);
  });

  it("fetches one access token for all callers, and a new one when the service rejects it", async () => {
    let tokens = 0;
    let validToken = "";
    service = await replaceService(service, (request) => {
      if (request.path === "/oauth/token") {
        const parameters = new URLSearchParams(request.body as string);
        if (parameters.get("client_secret") !== "efs_x")
          return { status: 401, body: { error: "invalid_client" } };
        tokens += 1;
        validToken = `efa_${tokens}`;
        return { status: 200, body: { access_token: validToken, expires_in: 3600 } };
      }
      const isAuthorized = request.headers.authorization === `Bearer ${validToken}`;
      return isAuthorized ? storedItems.serve(request) : problem(401, "unauthenticated");
    });
    failFirst("cut");
    const credentials = { clientId: "efc_x", clientSecret: "efs_x" };
    const orders = new EdgeForms({ url, credentials }).records("orders");
    await Promise.all([orders.create({}), orders.create({}), orders.create({})]);
    expect(tokens).toBe(1);
    validToken = "revoked";
    await Promise.all([orders.create({}), orders.create({})]);
    expect([tokens <= 3, storedItems.items.size]).toEqual([true, 5]);
    const unauthorized = new EdgeForms({
      url,
      credentials: { ...credentials, clientSecret: "no" },
    });
    const requestCount = service.requests.length;
    expect(await caught(unauthorized.records("orders").get("rec_1"))).toMatchObject({
      code: "invalid_client",
    });
    expect(service.requests).toHaveLength(requestCount + 1);
  });

  /** Replaces the current service. */
  async function replaceService(
    previous: FailingService,
    serve: ConstructorParameters<typeof FailingService>[0],
  ) {
    await previous.stop();
    const replacement = new FailingService(serve);
    url = await replacement.start();
    return replacement;
  }
});
