import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../src/index.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const otherSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const body = '{"type":"record.updated","timestamp":"2026-11-21T00:00:00Z","data":{"id":"rec_1"}}';
const now = () => String(Math.floor(Date.now() / 1000));

function signedHeaders(timestamp = now(), signingSecret = secret) {
  const key = Buffer.from(signingSecret.slice(6), "base64");
  const content = `msg_1.${timestamp}.${body}`;
  const signature = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": signature };
}

describe("Webhook verification", () => {
  it("returns the event of a genuine delivery, from text or bytes, signed with either secret", async () => {
    const event = { id: "msg_1", type: "record.updated", data: { id: "rec_1" } };
    const headers = signedHeaders();
    expect(await verifyWebhook({ secret, headers, body })).toMatchObject(event);
    const bytes = new TextEncoder().encode(body);
    const headersObject = new Headers(headers);
    expect(await verifyWebhook({ secret, headers: headersObject, body: bytes })).toMatchObject(
      event,
    );
    const secrets = [otherSecret, secret];
    expect(await verifyWebhook({ secret: secrets, headers, body })).toMatchObject(event);
    const signatures = `v1a,zz v1,!! ${signedHeaders(now(), otherSecret)["webhook-signature"]} ${headers["webhook-signature"]}`;
    const rotatedHeaders = { ...headers, "webhook-signature": signatures };
    expect(await verifyWebhook({ secret, headers: rotatedHeaders, body })).toMatchObject(event);
  });

  it("accepts the example of the Standard Webhooks libraries", async () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const delivery = { secret, headers, body: '{"test": 2432232314}', tolerance: Infinity };
    expect(await verifyWebhook(delivery)).toMatchObject({ test: 2_432_232_314 });
  });

  it("throws invalid_webhook for a wrong or missing body, ID, timestamp, secret or signature", async () => {
    const headers = signedHeaders();
    const oldTimestamp = String(Number(now()) - 301);
    const futureTimestamp = String(Number(now()) + 302);
    const forgeries: object[] = [
      { body: `${body} ` },
      { headers: { ...headers, "webhook-id": "msg_2" } },
      { headers: { ...headers, "webhook-timestamp": String(Number(now()) - 9) } },
      { headers: signedHeaders(oldTimestamp) },
      { headers: signedHeaders(futureTimestamp) },
      { headers: { ...headers, "webhook-timestamp": "NaN" } },
      { headers: signedHeaders(now(), otherSecret) },
      { headers: { ...headers, "webhook-signature": "v1," } },
      { headers: { ...headers, "webhook-signature": "v1" } },
      { headers: {} },
      { secret: [] },
    ];
    for (const forgery of forgeries) {
      const delivery = { secret, headers, body, ...forgery };
      await expect(verifyWebhook(delivery)).rejects.toMatchObject({ code: "invalid_webhook" });
    }
    await expect(verifyWebhook({ secret: "", headers, body })).rejects.toBeInstanceOf(TypeError);
  });
});
