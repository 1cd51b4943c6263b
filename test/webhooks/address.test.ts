import { beforeAll, describe, expect, it } from "vitest";
import { findUrlError } from "../../src/domain/webhook/webhook.ts";
import { codes, type Client } from "../support/client";
import { client } from "../support/service";

const invalidUrls = [
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
  "https://127.0.0.1../",
  "https://localhost../",
  "https://:@shop.example/",
  "https://@shop.example/",
  "https:\\\\:@shop.example/",
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
  "https:/\t/user:password@receiver.example/",
  "ht\ntps://user@receiver.example/",
  "\u0001https://:@receiver.example/",
  "https://receiver.example:80/",
  "https://receiver.example:22/",
  "https://receiver.example:444/",
  `https://receiver.example/${"a".repeat(2000)}`,
];
const validUrls = [
  "https://receiver.example",
  "https://receiver.example:443/hook?key=1",
  "https://receiver.example:8443/hook",
  "https://1.example/",
  "https://localhost.example/",
  "https://receiver.example/@path?to=a@b",
  "https://bücher.example/",
];
const loopbackUrls = [
  "http://localhost:9000/hook",
  "http://127.0.0.1:9000",
  "http://127.1:9000",
  "http://[::1]:9000/",
  "https://a.localhost:9443",
];

describe("Webhook URLs", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const send = (url: string) =>
    integrator.post("/webhooks", { name: "x", url, types: ["record.created"], collections: "all" });

  it.each(invalidUrls)("returns 422 `invalid_format` for %s", async (url) => {
    const answer = await send(url);
    expect([answer.status, codes(answer)]).toEqual([422, { url: "invalid_format" }]);
  });

  it.each(validUrls)("accepts %s in POST and PATCH", async (url) => {
    const answer = await send(url);
    expect(answer.status).toBe(201);
    expect((await integrator.patch(`/webhooks/${answer.body.id}`, { url })).status).toBe(200);
    const rejected = await integrator.patch(`/webhooks/${answer.body.id}`, {
      url: "https://127.1/",
    });
    expect(rejected.status).toBe(422);
    await integrator.delete(`/webhooks/${answer.body.id}`);
  });

  it.each(loopbackUrls)("accepts %s only under npm run dev", async (url) => {
    expect((await send(url)).status).toBe(422);
    expect(findUrlError(url, true)).toBeUndefined();
  });

  it("rejects other invalid URLs under npm run dev too", () => {
    expect(findUrlError("http://receiver.example/", true)).toBeDefined();
    expect(findUrlError("http://10.0.0.1/", true)).toBeDefined();
    expect(findUrlError("http://user@localhost/", true)).toBeDefined();
  });
});
