import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../src/index.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const body = '{"type":"record.updated","timestamp":"2026-11-21T00:00:00Z","data":{"id":"rec_1"}}';
const now = () => String(Math.floor(Date.now() / 1000));

function signed(timestamp = now(), by = secret) {
  const key = Buffer.from(by.slice(6), "base64");
  const content = `msg_1.${timestamp}.${body}`;
  const signature = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": signature };
}

describe("Verification of webhooks", () => {
  it("gives the event of a genuine delivery, from text or bytes, by either secret", async () => {
    const event = { id: "msg_1", type: "record.updated", data: { id: "rec_1" } };
    const headers = signed();
    expect(await verifyWebhook({ secret, headers, body })).toMatchObject(event);
    const bytes = new TextEncoder().encode(body);
    const whole = new Headers(headers);
    expect(await verifyWebhook({ secret, headers: whole, body: bytes })).toMatchObject(event);
    const secrets = [other, secret];
    expect(await verifyWebhook({ secret: secrets, headers, body })).toMatchObject(event);
    const several = `v1a,zz v1,!! ${signed(now(), other)["webhook-signature"]} ${headers["webhook-signature"]}`;
    const rotated = { ...headers, "webhook-signature": several };
    expect(await verifyWebhook({ secret, headers: rotated, body })).toMatchObject(event);
  });

  it("takes the example of the Standard Webhooks libraries", async () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const delivery = { secret, headers, body: '{"test": 2432232314}', tolerance: Infinity };
    expect(await verifyWebhook(delivery)).toMatchObject({ test: 2_432_232_314 });
  });

  it("refuses another body, id, time, secret or signature, and what is missing", async () => {
    const headers = signed();
    const old = String(Number(now()) - 301);
    const future = String(Number(now()) + 302);
    const refused: object[] = [
      { body: `${body} ` },
      { headers: { ...headers, "webhook-id": "msg_2" } },
      { headers: { ...headers, "webhook-timestamp": String(Number(now()) - 9) } },
      { headers: signed(old) },
      { headers: signed(future) },
      { headers: { ...headers, "webhook-timestamp": "NaN" } },
      { headers: signed(now(), other) },
      { headers: { ...headers, "webhook-signature": "v1," } },
      { headers: { ...headers, "webhook-signature": "v1" } },
      { headers: {} },
      { secret: [] },
    ];
    for (const each of refused) {
      const delivery = { secret, headers, body, ...each };
      await expect(verifyWebhook(delivery)).rejects.toMatchObject({ code: "invalid_webhook" });
    }
    await expect(verifyWebhook({ secret: "", headers, body })).rejects.toBeInstanceOf(TypeError);
  });
});
