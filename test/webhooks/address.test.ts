import { beforeAll, describe, expect, it } from "vitest";
import { addressRefusal } from "../../src/domain/webhook/webhook.ts";
import { codes, type Client } from "../support/client";
import { client } from "../support/service";

const refused = [
  "http://receiver.example/",
  "ftp://receiver.example/",
  "receiver.example",
  "/hook",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://127.1/",
  "https://127.0.0.1./",
  "https://１２７.0.0.1/",
  "https://%31%32%37.0.0.1/",
  "https://93.184.216.34/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[2606:4700::1111]/",
  "https://localhost/",
  "https://LOCALHOST/",
  "https://localhost./",
  "https://api.localhost/",
  "https://api.localhost./",
  "https://ｌocalhost/",
  "https://user@receiver.example/",
  "https://user:password@receiver.example/",
  "https://:password@receiver.example/",
  "https://receiver.example:80/",
  "https://receiver.example:22/",
  "https://receiver.example:444/",
  `https://receiver.example/${"a".repeat(2000)}`,
];
const taken = [
  "https://receiver.example",
  "https://receiver.example:443/hook?key=1",
  "https://receiver.example:8443/hook",
  "https://1.example/",
  "https://localhost.example/",
  "https://bücher.example/",
];
const local = [
  "http://localhost:9000/hook",
  "http://127.0.0.1:9000",
  "http://127.1:9000",
  "http://[::1]:9000/",
  "https://a.localhost:9443",
];

describe("The address of a receiver", () => {
  let by: Client;
  beforeAll(async () => {
    by = await client();
  });
  const send = (url: string) =>
    by.post("/webhooks", { name: "x", url, types: ["record.created"], collections: "all" });

  it.each(refused)(
    "%s is refused, also on one's own machine when it is not loopback",
    async (url) => {
      const answer = await send(url);
      expect([answer.status, codes(answer)]).toEqual([422, { url: "invalid_format" }]);
    },
  );

  it.each(taken)("%s is taken, by POST and by PATCH", async (url) => {
    const answer = await send(url);
    expect(answer.status).toBe(201);
    expect((await by.patch(`/webhooks/${answer.body.id}`, { url })).status).toBe(200);
    const bad = await by.patch(`/webhooks/${answer.body.id}`, { url: "https://127.1/" });
    expect(bad.status).toBe(422);
    await by.delete(`/webhooks/${answer.body.id}`);
  });

  it.each(local)("%s is taken by npm run dev alone", async (url) => {
    expect((await send(url)).status).toBe(422);
    expect(addressRefusal(url, true)).toBeUndefined();
  });

  it("of another machine is as ever under npm run dev", () => {
    expect(addressRefusal("http://receiver.example/", true)).toBeDefined();
    expect(addressRefusal("http://10.0.0.1/", true)).toBeDefined();
    expect(addressRefusal("http://user@localhost/", true)).toBeDefined();
  });
});
