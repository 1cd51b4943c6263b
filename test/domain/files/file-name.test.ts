import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contentDisposition,
  maxFileNameLength,
  normaliseFileName,
} from "../../../src/domain/files/file-name.ts";

const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc
    .array(fc.constantFrom("a", ".", "..", "/", "\\", " ", "\u202e", "\0", "\n", "e\u0301", "🎉"))
    .map((parts) => parts.join("")),
);

describe("The name of a file", () => {
  it.each([
    ["invoice 3.pdf", "invoice 3.pdf"],
    ["re\u0301sume\u0301.pdf", "résumé.pdf"],
    ["請求書.pdf", "請求書.pdf"],
    ["../../etc/passwd", "passwd"],
    ["C:\\fakepath\\a.pdf", "a.pdf"],
    ["invoice\u202efdp.exe", "invoicefdp.exe"],
    ["a\r\nSet-Cookie: b", "aSet-Cookie: b"],
    [" a.pdf . ", "a.pdf"],
    [".gitignore", ".gitignore"],
    ["👩‍👩‍👧.png", "👩‍👩‍👧.png"],
  ])("%j is stored as %j", (name, stored) => {
    expect(normaliseFileName(name)).toBe(stored);
  });

  it.each(["", " ", ".", "..", "a/..", "a/", "\0", "\ud800", "a".repeat(maxFileNameLength + 1)])(
    "%j is not usable",
    (name) => {
      expect(normaliseFileName(name)).toBeNull();
    },
  );

  it("is bounded, stays as it is when it is normalised again, and is no path", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const stored = normaliseFileName(name);
        if (stored === null) return;
        expect(normaliseFileName(stored)).toBe(stored);
        expect(stored).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}]|^\.\.?$|^$/u);
        expect(stored.length).toBeLessThanOrEqual(maxFileNameLength);
        expect(stored.isWellFormed() && stored.normalize("NFC") === stored).toBe(true);
      }),
    );
  });
});

describe("The disposition of a download", () => {
  it("has the name in ASCII, and the exact name beside it", () => {
    expect(contentDisposition("a.pdf")).toBe(
      "attachment; filename=\"a.pdf\"; filename*=UTF-8''a.pdf",
    );
    expect(contentDisposition('請"求*書;.pdf')).toBe(
      "attachment; filename=\"___*_;.pdf\"; filename*=UTF-8''%E8%AB%8B%22%E6%B1%82%2A%E6%9B%B8%3B.pdf",
    );
  });

  it("is one attachment for every name, and the exact name comes back", () => {
    const form =
      /^attachment; filename="([^"\\%\x7f-\uffff]*)"; filename\*=UTF-8''([\w%!#$&+.^`|~-]*)$/;
    fc.assert(
      fc.property(anyName, (name) => {
        const [, , encoded = "no match"] = form.exec(contentDisposition(name)) ?? [];
        expect(decodeURIComponent(encoded)).toBe(name.toWellFormed());
        // The platform accepts it as a header.
        expect(new Headers({ "Content-Disposition": contentDisposition(name) })).toBeDefined();
      }),
    );
  });
});
