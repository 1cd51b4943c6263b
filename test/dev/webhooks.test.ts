import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ok, Receiver } from "./receiver.ts";
import { caller, Server, type Call } from "./server.ts";

async function until(holds: () => boolean | Promise<boolean>, milliseconds = 60_000) {
  const end = Date.now() + milliseconds;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("It does not come true.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("Webhooks of the built bundle", () => {
  const server = new Server(8833);
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
  const make = async (key: string) => {
    await call("PUT", `/apps/${key}/schema`, { fields: [{ key: "n", type: "number" }] });
    const types = ["record.created"];
    const sent = { name: key, url, types, collections: [`app:${key}`] };
    const { status, text, body } = await call("POST", "/webhooks", sent);
    if (status !== 201) throw new Error(text);
    return body;
  };

  it("a receiver on this machine is told within five seconds, and can verify it", async () => {
    const { secret } = await make("told");
    await call("POST", "/apps/told/records", { data: { n: 1 } });
    await until(() => receiver.taken.length === 1, 5000);
    const [first] = receiver.taken;
    const headers = first?.headers as Record<string, string>;
    const told = new Webhook(secret).verify(first?.text ?? "", headers);
    expect(told).toMatchObject({ type: "record.created", data: { item: { data: { n: 1 } } } });
  });

  it("answers that redirect, break off or never end are cut; none is followed", async () => {
    const { id } = await make("odd");
    const test = async () => (await call("POST", `/webhooks/${id}/test`)).body;
    receiver.answer = (response) => {
      response.writeHead(307, { Location: `${url}/elsewhere` }).end();
      return false;
    };
    const before = receiver.all.length;
    expect(await test()).toMatchObject({ status: 307, delivered: false });
    expect(receiver.all).toHaveLength(before + 1);
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
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
      };
      response.on("drain", more);
      more();
      return true;
    };
    const endless = await test();
    expect([endless.status, endless.answer.length, endless.milliseconds < 5000]).toEqual([
      200,
      1024,
      true,
    ]);
    await until(() => closed, 15_000);
    receiver.answer = ok;
  });

  it("kill -9 in the middle, of a receiver that fails now and then: nothing is lost, and the order is kept", async () => {
    const { id } = await make("killed");
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
    const writing = (async () => {
      for (let n = 1; n <= 150; n += 1) if (!(await create(n))) return;
    })();
    await until(() => receiver.taken.length >= 8);
    await server.kill();
    await writing;
    await server.start();
    for (let n = 1001; n <= 1010; n += 1) await create(n);
    const told = () => {
      const each = receiver.taken.map(
        ({ headers, text }) => [headers["webhook-id"], JSON.parse(text).data.item.data.n] as const,
      );
      return [...new Map(each).values()];
    };
    await until(async () => {
      // As the schedule does, and whoever mends a receiver.
      await call("PATCH", `/webhooks/${id}`, { state: "paused" });
      await call("PATCH", `/webhooks/${id}`, { state: "active" });
      await new Promise((resolve) => setTimeout(resolve, 500));
      return told().at(-1) === 1010;
    });
    // What was stored and not answered before the kill is told as well.
    expect(told().filter((n) => stored.includes(n))).toEqual(stored);
    expect(told()).toEqual(told().toSorted((a, b) => a - b));
    expect(stored.length).toBeGreaterThan(15);
  });
});
