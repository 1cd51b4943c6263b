import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ok, Receiver } from "./receiver.ts";
import { caller, Server, type Call } from "./server.ts";

async function waitUntil(condition: () => boolean | Promise<boolean>, milliseconds = 60_000) {
  const deadline = Date.now() + milliseconds;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("It does not come true.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("Webhooks of the built bundle", () => {
  const server = new Server("killable");
  let receiver: Receiver;
  let call: Call;
  let url: string;
  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential("--requests", "100000", "--writes", "100000");
    call = caller(server.url, token);
    receiver = new Receiver();
    url = await receiver.open();
  });
  afterAll(async () => {
    receiver.close();
    await server.remove();
  });
  const createWebhook = async (key: string) => {
    await call("PUT", `/apps/${key}/schema`, { fields: [{ key: "n", type: "number" }] });
    const types = ["record.created"];
    const webhook = { name: key, url, types, collections: [`app:${key}`] };
    const { status, text, body } = await call("POST", "/webhooks", webhook);
    if (status !== 201) throw new Error(text);
    return body;
  };

  it("delivers a verifiable event to a receiver on this machine within five seconds", async () => {
    const { secret } = await createWebhook("told");
    await call("POST", "/apps/told/records", { data: { n: 1 } });
    await waitUntil(() => receiver.taken.length === 1, 5000);
    const [delivery] = receiver.taken;
    const headers = delivery?.headers as Record<string, string>;
    const event = new Webhook(secret).verify(delivery?.text ?? "", headers);
    expect(event).toMatchObject({ type: "record.created", data: { item: { data: { n: 1 } } } });
  });

  it("follows no redirect and cuts off broken or endless receiver responses", async () => {
    const { id } = await createWebhook("odd");
    const test = async () => (await call("POST", `/webhooks/${id}/test`)).body;
    receiver.answer = (response) => {
      response.writeHead(307, { Location: `${url}/elsewhere` }).end();
      return false;
    };
    const requestCount = receiver.all.length;
    expect(await test()).toMatchObject({ status: 307, delivered: false });
    expect(receiver.all).toHaveLength(requestCount + 1);
    receiver.answer = (response) => {
      response.destroy();
      return false;
    };
    expect(await test()).toMatchObject({ status: null, delivered: false });
    let closed = false;
    receiver.answer = (response) => {
      response.on("close", () => {
        closed = true;
      });
      response.writeHead(200);
      const writeChunks = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
      };
      response.on("drain", writeChunks);
      writeChunks();
      return true;
    };
    const endlessResult = await test();
    expect([
      endlessResult.status,
      endlessResult.answer.length,
      endlessResult.milliseconds < 5000,
    ]).toEqual([200, 1024, true]);
    await waitUntil(() => closed, 15_000);
    receiver.answer = ok;
  });

  it("delivers all events in order despite kill -9 and occasional receiver failures", async () => {
    const { id } = await createWebhook("killed");
    receiver.taken.length = 0;
    receiver.answer = (response, count) => {
      if (count % 11 !== 0) return ok(response);
      response.writeHead(500).end();
      return false;
    };
    const stored: number[] = [];
    const create = async (n: number) => {
      const answer = await call("POST", "/apps/killed/records", { data: { n } }).catch(() => null);
      if (answer?.status === 201) stored.push(n);
      return answer !== null;
    };
    const writes = (async () => {
      for (let n = 1; n <= 150; n += 1) if (!(await create(n))) return;
    })();
    await waitUntil(() => receiver.taken.length >= 8);
    await server.kill();
    await writes;
    await server.start();
    for (let n = 1001; n <= 1010; n += 1) await create(n);
    const deliveredNumbers = () => {
      const numbersById = receiver.taken.map(
        ({ headers, text }) => [headers["webhook-id"], JSON.parse(text).data.item.data.n] as const,
      );
      return [...new Map(numbersById).values()];
    };
    await waitUntil(async () => {
      // Triggers the retry that the schedule, or the repair of a receiver, would trigger.
      await call("PATCH", `/webhooks/${id}`, { state: "paused" });
      await call("PATCH", `/webhooks/${id}`, { state: "active" });
      await new Promise((resolve) => setTimeout(resolve, 500));
      return deliveredNumbers().at(-1) === 1010;
    });
    // Records that were stored without a response before the kill are delivered too, so only known ones are compared.
    expect(deliveredNumbers().filter((n) => stored.includes(n))).toEqual(stored);
    expect(deliveredNumbers()).toEqual(deliveredNumbers().toSorted((a, b) => a - b));
    expect(stored.length).toBeGreaterThan(15);
  });
});
