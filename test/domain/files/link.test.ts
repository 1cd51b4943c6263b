import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSigningKeys } from "../../../src/domain/credential/keys.ts";
import { signLink, verifyLink } from "../../../src/domain/files/link.ts";

const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const keysOf = (secrets: string) => createSigningKeys({ subtle: crypto.subtle, random }, secrets);
const keys = keysOf("first,second");

const ulid = fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/);
const link = fc.record({
  file: ulid.map((id) => `fil_${id}`),
  credential: ulid,
  expires: fc.integer({ min: 0, max: 2 ** 35 }).map((seconds) => seconds * 1000),
});

describe("A link to a file", () => {
  it("returns the file, the credential and the expiry that were signed", async () => {
    await fc.assert(
      fc.asyncProperty(link, async (signed) => {
        const text = await signLink(signed, keys);
        expect(text).toMatch(/^[\w-]+$/);
        expect(await verifyLink(text, keys)).toEqual(signed);
      }),
    );
  });

  it("is nothing once one character differs", async () => {
    await fc.assert(
      fc.asyncProperty(link, fc.nat(), fc.nat(63), async (signed, place, other) => {
        const text = await signLink(signed, keys);
        const at = place % text.length;
        const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
        const changed = text.slice(0, at) + alphabet[other] + text.slice(at + 1);
        if (changed !== text) expect(await verifyLink(changed, keys)).toBeNull();
      }),
    );
  });

  it("is valid as long as the service knows the secret that signed it", async () => {
    const signed = { file: `fil_${"0".repeat(26)}`, credential: "1".repeat(26), expires: 1e12 };
    const text = await signLink(signed, keysOf("second"));
    expect(await verifyLink(text, keys)).toEqual(signed);
    expect(await verifyLink(text, keysOf("third"))).toBeNull();
    expect(await verifyLink(`${text}a`, keys)).toBeNull();
    expect(await verifyLink("", keys)).toBeNull();
  });
});
