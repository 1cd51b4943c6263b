import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeCursor, decodeCursor } from "../../src/domain/cursor.ts";
import { decimalsOf } from "../../src/domain/data/check-scalar.ts";
import { foldCase } from "../../src/domain/data/index-entries.ts";
import { matchesPrecondition, parsePrecondition } from "../../src/domain/preconditions.ts";
import { jsonPointer } from "../../src/domain/problem/field-errors.ts";
import { permissions } from "../../src/domain/credential/permissions.ts";
import {
  findReceiptSequenceRanges,
  formatReceiptNumber,
  parseReceiptSequences,
} from "../../src/domain/item/item.ts";
import { createSigningKeys } from "../../src/domain/credential/keys.ts";
import { dayWithOffset } from "../../src/domain/time.ts";
import { toUtcDateTime } from "../../src/domain/time.ts";
import { createAccessToken } from "../../src/domain/credential/tokens.ts";
import { createSecret, decodeSecret } from "../../src/domain/credential/tokens.ts";
import { decodeBearer } from "../../src/domain/credential/tokens.ts";

const { subtle } = crypto;
const ivs = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const signingKeys = (secrets: string) => createSigningKeys({ subtle, random: ivs }, secrets);
const keys = signingKeys("new secret,old secret");
const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

const characters = fc.constantFrom("A", "a", "Z", "z", "0", "9", "-", "_");

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
const positions = fc.tuple(sortValue, sortValue, sortValue, fc.maxSafeInteger());

describe("Cursors", () => {
  it("decode to their position for their own list only", async () => {
    await fc.assert(
      fc.asyncProperty(positions, fc.string(), fc.string(), async (position, list, otherList) => {
        const cursor = await encodeCursor(keys, list, position);
        expect(cursor).toMatch(/^[\w-]{1,500}$/);
        const decoded = (await decodeCursor(keys, list, cursor))?.position ?? [];
        expect(decoded).toHaveLength(position.length);
        for (const [index, value] of position.entries()) {
          const decodedValue = decoded[index];
          if (!Array.isArray(decodedValue)) expect(decodedValue).toBe(value);
          else expect(String(value).startsWith(decodedValue[0])).toBe(true);
        }
        if (otherList !== list) expect(await decodeCursor(keys, otherList, cursor)).toBeUndefined();
      }),
    );
  });

  it("are rejected when one character is changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), characters, async (n, offset, character) => {
        const cursor = await encodeCursor(keys, "list", [n]);
        const index = offset % cursor.length;
        const damagedCursor = cursor.slice(0, index) + character + cursor.slice(index + 1);
        if (damagedCursor !== cursor)
          expect(await decodeCursor(keys, "list", damagedCursor)).toBeUndefined();
      }),
    );
  });
});

describe("Secrets", () => {
  it("are verified by their checksum, which detects every changed character", async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.nat(), characters, async (random, offset, character) => {
        const secret = await createSecret(keys, "efp", id, random);
        expect(await decodeSecret(keys, "efp", secret)).toMatchObject({ credentialId: id });
        expect(await decodeSecret(keys, "efs", secret)).toBeUndefined();
        const index = 4 + (offset % (secret.length - 4));
        const damagedSecret = secret.slice(0, index) + character + secret.slice(index + 1);
        if (damagedSecret !== secret)
          expect(await decodeSecret(keys, "efp", damagedSecret)).toBeUndefined();
      }),
    );
  });

  it("are still verified when created with an older key", async () => {
    const secret = await createSecret(signingKeys("old secret"), "efp", id, new Uint8Array(32));
    expect(await decodeSecret(keys, "efp", secret)).toBeDefined();
    expect(await decodeSecret(signingKeys("new secret"), "efp", secret)).toBeUndefined();
  });

  it("decode from access tokens unchanged until these expire", async () => {
    const scopes = fc.subarray([...permissions]);
    const time = fc.integer({ min: 1, max: 4e12 }).map((ms) => Math.floor(ms / 1000) * 1000);
    await fc.assert(
      fc.asyncProperty(scopes, time, fc.nat(65_535), async (scope, expiresAt, secretId) => {
        const token = await createAccessToken(keys, {
          credentialId: id,
          secretId,
          expiresAt,
          scope,
        });
        const decoded = await decodeBearer(keys, token, expiresAt - 1);
        expect(decoded).toEqual({ credentialId: id, proof: { secretId, scope } });
        expect(await decodeBearer(keys, token, expiresAt)).toBeUndefined();
      }),
    );
  });
});

describe("Entity tags", () => {
  const tag = fc.stringMatching(/^[\x21\x23-\x7e]*$/).map((text) => `"${text}"`);
  const entityTags = fc.tuple(
    tag,
    fc.constantFrom("", "W/"),
    fc.constantFrom(",", " , ", ",,", "\t,"),
  );

  it("are parsed from every list that RFC 9110 allows, with any separators", () => {
    fc.assert(
      fc.property(fc.array(entityTags, { minLength: 1 }), (parts) => {
        const header = parts.map(([value, prefix, comma]) => prefix + value + comma).join("");
        const tags = parsePrecondition("If-Match", header);
        expect(tags).toEqual(parts.map(([value]) => value));
        for (const [value] of parts) expect(matchesPrecondition(tags, value)).toBe(true);
      }),
    );
  });

  it("are rejected as malformed_header in every invalid list", () => {
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

  it("parse to their sequence, whatever the prefix ends in", () => {
    fc.assert(
      fc.property(prefix, fc.integer({ min: 1, max: 4_294_967_295 }), (numberPrefix, sequence) => {
        expect(parseReceiptSequences(formatReceiptNumber(numberPrefix, sequence))).toContain(
          sequence,
        );
      }),
    );
  });

  it("with a common prefix form a few exact ranges of sequences", () => {
    const sequences = fc.oneof(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 990_000, max: 1_010_000 }),
      fc.integer({ min: 1, max: 4_294_967_295 }),
    );
    fc.assert(
      fc.property(
        prefix,
        sequences,
        sequences,
        fc.nat(10),
        (numberPrefix, first, second, length) => {
          const text = formatReceiptNumber(numberPrefix, first).slice(
            0,
            numberPrefix.length + 1 + length,
          );
          const runs = findReceiptSequenceRanges(numberPrefix, text.toLowerCase());
          const contains = (sequence: number) =>
            runs.some(([start, end]) => sequence >= start && sequence < end);
          expect(contains(first)).toBe(true);
          expect(contains(second)).toBe(formatReceiptNumber(numberPrefix, second).startsWith(text));
          expect(runs.length).toBeLessThanOrEqual(5);
        },
      ),
      { numRuns: 1000 },
    );
    expect(findReceiptSequenceRanges("ORD-", "ORD-")).toEqual([]);
    expect(findReceiptSequenceRanges("ORD-", "x42")).toEqual([]);
  });

  it("parse to at most five sequences, and other texts to none", () => {
    expect(parseReceiptSequences("A2026000042")).toContain(42);
    expect(parseReceiptSequences("ORD-42")).toEqual([]);
    expect(parseReceiptSequences("rec")).toEqual([]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseReceiptSequences(text).length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe("Times", () => {
  it("convert to the same instant in UTC for every instant and offset", () => {
    const instants = fc.date({
      min: new Date("0002-01-01"),
      max: new Date("9998-01-01"),
      noInvalidDate: true,
    });
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(instants, offset, (date, minutes) => {
        const localTime = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 23);
        const distance = Math.abs(minutes);
        const hours = String(Math.trunc(distance / 60)).padStart(2, "0");
        const remainder = String(distance % 60).padStart(2, "0");
        const dateTime = `${localTime}${minutes < 0 ? "-" : "+"}${hours}:${remainder}`;
        expect(toUtcDateTime(dateTime)).toEqual({ value: date.toISOString() });
      }),
    );
  });

  it("stay unchanged when the stored day is sent back", () => {
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
        const storedDay = dayWithOffset(date.toISOString().slice(0, 10), zone) ?? "";
        expect(storedDay).toMatch(/^\d{4}-\d\d-\d\d(Z|[+-]\d\d:\d\d)$/);
        expect(dayWithOffset(storedDay, "UTC")).toBe(storedDay);
      }),
    );
  });

  it("never throw on arbitrary text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        toUtcDateTime(text);
        dayWithOffset(text, "UTC");
      }),
    );
  });
});

describe("Numbers, case folding and pointers", () => {
  it("counts the decimals of a number as it is written", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(6), (digits, decimals) => {
        expect(decimalsOf(Number(`${digits}e-${decimals}`))).toBeLessThanOrEqual(decimals);
      }),
    );
    expect([1e-7, 30.25, 5, 1e21, 0.1 + 0.2].map(decimalsOf)).toEqual([7, 2, 0, 0, 17]);
  });

  it("folds case idempotently and independently of the original case", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        // The dotless i folds to itself, but its upper case is I, which folds to i.
        fc.pre(!text.includes("ı"));
        const normalized = text.normalize("NFC");
        expect(foldCase(foldCase(normalized))).toBe(foldCase(normalized));
        expect(foldCase(normalized.toUpperCase().normalize("NFC"))).toBe(foldCase(normalized));
      }),
    );
    expect(foldCase("STRASSE")).toBe(foldCase("straße"));
    expect(foldCase("ΌΣΟΣ")).toBe(foldCase("όσος"));
  });

  it("escapes JSON Pointers according to RFC 6901", () => {
    expect(jsonPointer(["data", "a/b~c", 0])).toBe("/data/a~1b~0c/0");
  });
});
