import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeCursor, readCursor } from "../../src/domain/cursor.ts";
import { decimalsOf } from "../../src/domain/data/check-scalar.ts";
import { fold } from "../../src/domain/data/index-entries.ts";
import { matches, parsePrecondition } from "../../src/domain/preconditions.ts";
import { pointer } from "../../src/domain/problem/field-errors.ts";
import { permissions } from "../../src/domain/credential/permissions.ts";
import { placesBeginning, receiptNumber, receiptPlaces } from "../../src/domain/item/item.ts";
import { signingKeys } from "../../src/domain/credential/keys.ts";
import { dayWithOffset } from "../../src/domain/time.ts";
import { utcDateTime } from "../../src/domain/time.ts";
import { makeAccessToken } from "../../src/domain/credential/tokens.ts";
import { makeSecret, readSecret } from "../../src/domain/credential/tokens.ts";
import { readBearer } from "../../src/domain/credential/tokens.ts";

const keys = signingKeys("new secret,old secret");
const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

const signs = fc.constantFrom("A", "a", "Z", "z", "0", "9", "-", "_");

const longText = fc.string({ unit: "binary", minLength: 0, maxLength: 200 });
const sortValue = fc.oneof(
  fc.constant(null),
  fc.integer(),
  longText,
  fc.constantFrom(
    "日本語".repeat(2000),
    "\u0001".repeat(300),
    "😀".repeat(100),
    "2026-11-21T09:30:00.000",
  ),
);
const placeInList = fc.tuple(sortValue, sortValue, sortValue, fc.maxSafeInteger());

describe("Cursors", () => {
  it("give back their position to their own list, and to no other", async () => {
    await fc.assert(
      fc.asyncProperty(placeInList, fc.string(), fc.string(), async (position, list, other) => {
        const cursor = await makeCursor(keys, list, position);
        expect(cursor).toMatch(/^[\w-]{1,500}$/);
        const read = (await readCursor(keys, list, cursor))?.position ?? [];
        expect(read).toHaveLength(position.length);
        for (const [index, value] of position.entries()) {
          const kept = read[index];
          if (!Array.isArray(kept)) expect(kept).toBe(value);
          else expect(String(value).startsWith(kept[0])).toBe(true);
        }
        if (other !== list) expect(await readCursor(keys, other, cursor)).toBeUndefined();
      }),
    );
  });

  it("are refused when one character is changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), signs, async (n, at, sign) => {
        const cursor = await makeCursor(keys, "list", [n]);
        const place = at % cursor.length;
        const damaged = cursor.slice(0, place) + sign + cursor.slice(place + 1);
        if (damaged !== cursor) expect(await readCursor(keys, "list", damaged)).toBeUndefined();
      }),
    );
  });
});

describe("Secrets", () => {
  it("are known by their checksum; every change of a character is found offline", async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.nat(), signs, async (random, at, sign) => {
        const secret = await makeSecret(keys, "efp", id, random);
        expect(await readSecret(keys, "efp", secret)).toMatchObject({ credentialId: id });
        expect(await readSecret(keys, "efs", secret)).toBeUndefined();
        const place = 4 + (at % (secret.length - 4));
        const damaged = secret.slice(0, place) + sign + secret.slice(place + 1);
        if (damaged !== secret) expect(await readSecret(keys, "efp", damaged)).toBeUndefined();
      }),
    );
  });

  it("made with an older key are still known", async () => {
    const secret = await makeSecret(signingKeys("old secret"), "efp", id, new Uint8Array(32));
    expect(await readSecret(keys, "efp", secret)).toBeDefined();
    expect(await readSecret(signingKeys("new secret"), "efp", secret)).toBeUndefined();
  });

  it("access tokens give back what they were made of until they expire", async () => {
    const scopes = fc.subarray([...permissions]);
    const time = fc.integer({ min: 1, max: 4e12 }).map((ms) => Math.floor(ms / 1000) * 1000);
    await fc.assert(
      fc.asyncProperty(scopes, time, fc.nat(65_535), async (scope, expiresAt, secretId) => {
        const token = await makeAccessToken(keys, { credentialId: id, secretId, expiresAt, scope });
        const read = await readBearer(keys, token, expiresAt - 1);
        expect(read).toEqual({ credentialId: id, proof: { secretId, scope } });
        expect(await readBearer(keys, token, expiresAt)).toBeUndefined();
      }),
    );
  });
});

describe("Entity tags", () => {
  const tag = fc.stringMatching(/^[\x21\x23-\x7e]*$/).map((text) => `"${text}"`);
  const written = fc.tuple(
    tag,
    fc.constantFrom("", "W/"),
    fc.constantFrom(",", " , ", ",,", "\t,"),
  );

  it("are read from every list that RFC 9110 allows, whatever stands between", () => {
    fc.assert(
      fc.property(fc.array(written, { minLength: 1 }), (parts) => {
        const header = parts.map(([value, weak, comma]) => weak + value + comma).join("");
        const read = parsePrecondition("If-Match", header);
        expect(read).toEqual(parts.map(([value]) => value));
        for (const [value] of parts) expect(matches(read, value)).toBe(true);
      }),
    );
  });

  it("never hang on what is no list", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('"', "W", "/", ",", " ", "*", "x", "\t"),
          maxLength: 200,
        }),
        (header) => {
          try {
            parsePrecondition("If-Match", header);
          } catch (error) {
            expect(error).toMatchObject({ code: "malformed_header" });
          }
        },
      ),
    );
  });
});

describe("Receipt numbers", () => {
  const prefix = fc.stringMatching(/^[A-Za-z0-9._-]{0,20}$/);

  it("can be found again, whatever the prefix ends in", () => {
    fc.assert(
      fc.property(prefix, fc.integer({ min: 1, max: 4_294_967_295 }), (before, place) => {
        expect(receiptPlaces(receiptNumber(before, place))).toContain(place);
      }),
    );
  });

  it("that begin with a text are those of a few runs of places, and no others", () => {
    const place = fc.oneof(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 990_000, max: 1_010_000 }),
      fc.integer({ min: 1, max: 4_294_967_295 }),
    );
    fc.assert(
      fc.property(prefix, place, place, fc.nat(10), (before, one, other, length) => {
        const text = receiptNumber(before, one).slice(0, before.length + 1 + length);
        const runs = placesBeginning(before, text.toLowerCase());
        const within = (at: number) => runs.some(([from, below]) => at >= from && at < below);
        expect(within(one)).toBe(true);
        expect(within(other)).toBe(receiptNumber(before, other).startsWith(text));
        expect(runs.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 1000 },
    );
    expect(placesBeginning("ORD-", "ORD-")).toEqual([]);
    expect(placesBeginning("ORD-", "x42")).toEqual([]);
  });

  it("stand for few places, and text for none", () => {
    expect(receiptPlaces("A2026000042")).toContain(42);
    expect(receiptPlaces("ORD-42")).toEqual([]);
    expect(receiptPlaces("rec")).toEqual([]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(receiptPlaces(text).length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe("Times", () => {
  it("date-times are the same instant in UTC, for every instant and offset", () => {
    const when = fc.date({
      min: new Date("0002-01-01"),
      max: new Date("9998-01-01"),
      noInvalidDate: true,
    });
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(when, offset, (date, minutes) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 23);
        const size = Math.abs(minutes);
        const hours = String(Math.trunc(size / 60)).padStart(2, "0");
        const rest = String(size % 60).padStart(2, "0");
        const sent = `${local}${minutes < 0 ? "-" : "+"}${hours}:${rest}`;
        expect(utcDateTime(sent)).toEqual({ value: date.toISOString() });
      }),
    );
  });

  it("what is answered can be sent back and is answered the same", () => {
    const days = fc.date({
      min: new Date("0002-01-01"),
      max: new Date("9998-01-01"),
      noInvalidDate: true,
    });
    const zones = fc.constantFrom(
      "UTC",
      "Asia/Tokyo",
      "America/St_Johns",
      "Asia/Kathmandu",
      "Pacific/Apia",
      "Asia/Manila",
      "America/Juneau",
    );
    fc.assert(
      fc.property(days, zones, (date, zone) => {
        const stored = dayWithOffset(date.toISOString().slice(0, 10), zone) ?? "";
        expect(stored).toMatch(/^\d{4}-\d\d-\d\d(Z|[+-]\d\d:\d\d)$/);
        expect(dayWithOffset(stored, "UTC")).toBe(stored);
      }),
    );
  });

  it("text of any kind is judged without a fault", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        utcDateTime(text);
        dayWithOffset(text, "UTC");
      }),
    );
  });
});

describe("Small rules", () => {
  it("decimals are counted as they are written", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(6), (digits, decimals) => {
        expect(decimalsOf(Number(`${digits}e-${decimals}`))).toBeLessThanOrEqual(decimals);
      }),
    );
    expect([1e-7, 30.25, 5, 1e21, 0.1 + 0.2].map(decimalsOf)).toEqual([7, 2, 0, 0, 17]);
  });

  it("folding is done once and for all, and forgets case", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const normal = text.normalize("NFC");
        expect(fold(fold(normal))).toBe(fold(normal));
        expect(fold(normal.toUpperCase().normalize("NFC"))).toBe(fold(normal));
      }),
    );
    expect(fold("STRASSE")).toBe(fold("straße"));
    expect(fold("ΌΣΟΣ")).toBe(fold("όσος"));
  });

  it("pointers escape what RFC 6901 says", () => {
    expect(pointer(["data", "a/b~c", 0])).toBe("/data/a~1b~0c/0");
  });
});
