import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  acceptsContentType,
  detectContentType,
  detectedContentTypes,
  detectionBytes,
  unknownContentType,
} from "../../../src/domain/files/content-type.ts";

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const detect = (text: string) => detectContentType(bytes(text));

/** The header of an archive's entry, with its name and content. */
const entry = (name: string, content = "") =>
  `PK\x03\x04${"\0".repeat(22)}${String.fromCharCode(name.length, 0)}\0\0${name}${content}`;

describe("The type of a file", () => {
  it.each([
    ["image/png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"],
    ["image/jpeg", "\xff\xd8\xff\xe0\0\x10JFIF"],
    ["image/gif", "GIF89a\x01\0\x01\0"],
    ["image/webp", "RIFF\x24\0\0\0WEBPVP8 "],
    ["image/avif", "\0\0\0\x20ftypavif"],
    ["image/heic", "\0\0\0\x18ftypheic"],
    ["image/bmp", `BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0`],
    ["application/pdf", "%PDF-1.7\n"],
    ["application/gzip", "\x1f\x8b\b\0"],
    ["application/x-tar", `a.txt${"\0".repeat(252)}ustar\0`],
    ["application/x-cfb", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
    ["video/mp4", "\0\0\0\x20ftypisom"],
    ["video/quicktime", "\0\0\0\x14ftypqt  "],
    ["video/webm", "\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm"],
    ["audio/ogg", `OggS\0\x02${"\0".repeat(22)}OpusHead`],
    ["audio/wav", "RIFF\x24\0\0\0WAVEfmt "],
    ["audio/mpeg", "ID3\x04\0"],
    ["application/wasm", "\0asm\x01\0\0\0"],
    [unknownContentType, "\0\x01\x02\x03"],
    [unknownContentType, ""],
  ])("is %s by its first bytes", (type, start) => {
    expect(detect(start)).toBe(type);
  });

  it("is a kind of office document when its archive has the folder of that kind", () => {
    const office = "application/vnd.openxmlformats-officedocument";
    const withFolder = (name: string) =>
      entry("[Content_Types].xml", "<Types/>".repeat(100)) + entry("_rels/.rels") + entry(name);
    expect(detect(withFolder("word/document.xml"))).toBe(`${office}.wordprocessingml.document`);
    expect(detect(withFolder("xl/workbook.xml"))).toBe(`${office}.spreadsheetml.sheet`);
    expect(detect(withFolder("ppt/presentation.xml"))).toBe(
      `${office}.presentationml.presentation`,
    );
    expect(detect(withFolder("notes/word/x.xml"))).toBe("application/zip");
  });

  it("is the type that an OpenDocument or EPUB archive names, and no other", () => {
    const opened = "application/vnd.oasis.opendocument.text";
    expect(detect(entry("mimetype", opened) + entry("content.xml"))).toBe(opened);
    expect(detect(entry("mimetype", "application/epub+zip") + entry("x"))).toBe(
      "application/epub+zip",
    );
    expect(detect(entry("mimetype", "text/html"))).toBe("application/zip");
  });

  it.each([
    ["text/plain", "name,amount\nYamada,30\n"],
    ["text/plain", '{"a":1}'],
    ["text/plain", "\xef\xbb\xbfname"],
    ["text/plain", "\xff\xfen\0a\0"],
    ["text/html", "\n <!DOCTYPE html><html>"],
    ["text/html", "<script>alert(1)</script>"],
    ["image/svg+xml", '<?xml version="1.0"?>\n<!-- a - b --><svg xmlns="x">'],
    ["application/xml", '<?xml version="1.0"?><invoice/>'],
    ["text/calendar", "BEGIN:VCALENDAR\r\nVERSION:2.0"],
  ])("is %s for text that starts like it", (type, start) => {
    expect(detect(start)).toBe(type);
  });

  it("is decided in linear time for comments without an end", () => {
    const started = performance.now();
    for (const comment of ["<!--a-->", "<!--", "<!---"]) detect(comment.repeat(detectionBytes));
    expect(performance.now() - started).toBeLessThan(500);
  });

  it("is always in the list of types, and depends on the first bytes alone", () => {
    const starts = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .tuple(
          fc.constantFrom("PK\x03\x04", "RIFF", "\0\0\0\x20ftyp", "<", "MZ", "BM"),
          fc.string(),
        )
        .map(([start, rest]) => bytes(start + rest)),
    );
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 50 }), (start, rest) => {
        const type = detectContentType(start);
        expect(detectedContentTypes()).toContain(type);
        const whole = new Uint8Array(detectionBytes + rest.length);
        whole.set(start);
        whole.set(rest, detectionBytes);
        expect(detectContentType(whole)).toBe(detectContentType(whole.subarray(0, detectionBytes)));
      }),
    );
  });
});

describe("A list of accepted types", () => {
  it("contains types and ranges, whatever their case", () => {
    expect(acceptsContentType(["image/*"], "image/png")).toBe(true);
    expect(acceptsContentType(["Image/PNG"], "image/png")).toBe(true);
    expect(acceptsContentType(["*/*"], "video/mp4")).toBe(true);
    expect(acceptsContentType(["image/*", "application/pdf"], "application/pdf")).toBe(true);
    expect(acceptsContentType(["image/*"], "application/pdf")).toBe(false);
    expect(acceptsContentType(["image/p*"], "image/png")).toBe(false);
    expect(acceptsContentType(["image"], "image/png")).toBe(false);
  });

  it("accepts every type when it is empty", () => {
    fc.assert(
      fc.property(fc.constantFrom(...detectedContentTypes()), (type) => {
        expect(acceptsContentType([], type)).toBe(true);
        expect(acceptsContentType([type], type)).toBe(true);
      }),
    );
  });
});
