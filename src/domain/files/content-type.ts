import { lazy } from "#domain/lazy.ts";

// Libraries that detect types are too large for the bundle (file-type: 21 KB gzipped), so this file has its own table.
// Sources: WHATWG MIME Sniffing, the registrations of IANA, and the specification of each format.

/**
 * The number of bytes of a file that determine its type. Office documents name their kind after a few entries of their
 * archive.
 */
export const detectionBytes = 8192;

export const unknownContentType = "application/octet-stream";

/**
 * A type and the bytes with which files of this type start. A dot matches any byte. `offset` is the position of the
 * first byte.
 */
type Signature = readonly [contentType: string, bytes: string, offset?: number];

/** Bytes are written as Latin-1 text. The first match decides. */
const signatures = lazy((): readonly Signature[] => [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF....WEBPVP"],
  ["image/tiff", "II*\0"],
  ["image/tiff", "MM\0*"],
  ["image/vnd.microsoft.icon", "\0\0\x01\0"],
  ["image/vnd.adobe.photoshop", "8BPS\0"],
  ["image/jxl", "\0\0\0\x0cJXL \r\n\x87\n"],
  ["image/jp2", "\0\0\0\x0cjP  \r\n\x87\n"],
  ["application/pdf", "%PDF-"],
  ["application/postscript", "%!PS-Adobe-"],
  ["application/rtf", "{\\rtf"],
  ["application/gzip", "\x1f\x8b\b"],
  ["application/x-7z-compressed", "7z\xbc\xaf'\x1c"],
  ["application/vnd.rar", "Rar!\x1a\x07"],
  ["application/x-bzip2", "BZh.1AY&SY"],
  ["application/x-xz", "\xfd7zXZ\0"],
  ["application/zstd", "(\xb5/\xfd"],
  ["application/x-tar", "ustar", 257],
  // Word, Excel and PowerPoint before 2007, and Outlook messages. The file may name its kind far from the start.
  ["application/x-cfb", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
  ["application/vnd.sqlite3", "SQLite format 3\0"],
  ["application/wasm", "\0asm"],
  ["application/x-elf", "\x7fELF"],
  ["font/woff", "wOFF"],
  ["font/woff2", "wOF2"],
  ["font/otf", "OTTO\0"],
  ["font/ttf", "\0\x01\0\0\0"],
  ["audio/mpeg", "ID3"],
  ["audio/wav", "RIFF....WAVE"],
  ["audio/flac", "fLaC"],
  ["audio/aiff", "FORM....AIF"],
  ["audio/midi", "MThd\0\0\0\x06"],
  ["audio/ogg", "OpusHead", 28],
  ["audio/ogg", "\x01vorbis", 28],
  ["video/ogg", "\x80theora", 28],
  ["application/ogg", "OggS"],
  ["video/x-msvideo", "RIFF....AVI "],
  ["video/mpeg", "\0\0\x01\xba"],
  ["video/mpeg", "\0\0\x01\xb3"],
  // The remaining signatures are short, so longer ones come first.
  ["image/jxl", "\xff\n"],
  ["audio/aac", "\xff\xf1"],
  ["audio/aac", "\xff\xf9"],
  ["audio/mpeg", "\xff\xfb"],
  ["audio/mpeg", "\xff\xf3"],
  ["audio/mpeg", "\xff\xf2"],
]);

/** Brands of the ISO base media file format, whose files have `ftyp` at byte 4. Other brands are MP4. */
const mediaBrands: readonly Signature[] = [
  ["image/avif", "avif"],
  ["image/avif", "avis"],
  ["image/heic", "heic"],
  ["image/heic", "heix"],
  ["image/heif", "mif1"],
  ["image/heif", "msf1"],
  ["video/quicktime", "qt  "],
  ["video/3gpp", "3gp"],
  ["audio/mp4", "M4A"],
  ["audio/mp4", "M4B"],
];

/** The folders of the entries of an Office Open XML archive (ECMA-376, part 2). */
const officeFolders: readonly Signature[] = [
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "word/"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xl/"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", "ppt/"],
];

/** The types that an archive may name in its first entry, `mimetype` (OpenDocument 1.3, part 2; EPUB 3.3). */
const namedArchiveTypes: readonly string[] = [
  "application/vnd.oasis.opendocument.text",
  "application/vnd.oasis.opendocument.spreadsheet",
  "application/vnd.oasis.opendocument.presentation",
  "application/vnd.oasis.opendocument.graphics",
  "application/epub+zip",
];

/** Detects the type of a file from its first bytes. Ignores the file's name and the type that the uploader states. */
export function detectContentType(first: Uint8Array): string {
  const start = latin1(first.subarray(0, detectionBytes));
  if (start === "") return unknownContentType;
  if (start.startsWith("PK\x03\x04")) return archiveType(start);
  if (start.startsWith("PK\x05\x06")) return "application/zip";
  if (start.startsWith("ftyp", 4)) return findSignature(mediaBrands, start.slice(8)) ?? "video/mp4";
  if (start.startsWith("\x1aE\xdf\xa3")) return matroskaType(start);
  if (isBitmap(start)) return "image/bmp";
  if (isProgram(start)) return "application/vnd.microsoft.portable-executable";
  return findSignature(signatures(), start) ?? textType(start) ?? unknownContentType;
}

// Ranges are written as in the header Accept: image/png, image/*, */*.
/** Whether the type is in a list of types and ranges. An empty list accepts every type. */
export function acceptsContentType(accept: readonly string[], contentType: string): boolean {
  if (accept.length === 0) return true;
  const type = contentType.toLowerCase();
  return accept.some((range) => {
    const accepted = range.trim().toLowerCase();
    return accepted === "*/*" || accepted === type || accepted === type.replace(/\/.*/s, "/*");
  });
}

/**
 * Decodes Latin-1, which maps each byte to the character with the same number. `TextDecoder` would decode it as
 * Windows-1252.
 */
function latin1(bytes: Uint8Array): string {
  // 8,192 arguments stay far below the limits of JavaScript engines.
  return String.fromCharCode(...bytes);
}

const findSignature = (table: readonly Signature[], start: string): string | undefined =>
  table.find(([, bytes, offset = 0]) => hasBytes(start, bytes, offset))?.[0];

function hasBytes(start: string, bytes: string, offset: number): boolean {
  if (!bytes.includes(".")) return start.startsWith(bytes, offset);
  return Array.from(bytes).every((byte, index) => byte === "." || start[offset + index] === byte);
}

/** Two letters are weak evidence. The header that follows has one of five known sizes. */
const isBitmap = (start: string): boolean =>
  start.startsWith("BM") && [12, 40, 56, 108, 124].includes(start.charCodeAt(14));

/** Whether the file is a Windows program. Such a program has the position of its header at byte 60. */
function isProgram(start: string): boolean {
  if (!start.startsWith("MZ") || start.length < 64) return false;
  const header = start.charCodeAt(60) + start.charCodeAt(61) * 0x100;
  return header >= start.length || start.startsWith("PE\0\0", header);
}

const matroskaType = (start: string): string =>
  start.slice(0, 64).includes("webm") ? "video/webm" : "video/matroska";

const entryHeaderLength = 30;

/** Reads the names of the archive's first entries. Searches for headers, because they may lack sizes. */
function archiveType(start: string): string {
  const typeName = /^mimetype([\w./+-]+)/.exec(start.slice(entryHeaderLength))?.[1];
  if (typeName !== undefined) {
    // The next entry follows the text without a separator and starts with the letters PK.
    const type = namedArchiveTypes.find((known) => typeName === known || typeName === `${known}PK`);
    if (type !== undefined) return type;
  }
  for (let at = 0; at !== -1; at = start.indexOf("PK\x03\x04", at + 1)) {
    const type = findSignature(officeFolders, start.slice(at + entryHeaderLength, at + 64));
    if (type !== undefined) return type;
  }
  return "application/zip";
}

/** Bytes that no text contains (WHATWG MIME Sniffing, "binary data byte"). */
// oxlint-disable-next-line no-control-regex
const binary = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Types of texts, by the characters after the byte order mark and white space. */
const textStarts: readonly (readonly [string, RegExp])[] = [
  [
    "text/html",
    /^<(?:!doctype html|html|head|body|script|iframe|title|style|table|div|h1|p|a|b|br)[\s>]/i,
  ],
  [
    "image/svg+xml",
    /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*|<!doctype svg[^>]*>\s*)*<svg[\s>]/i,
  ],
  ["application/xml", /^<\?xml\s/],
  ["text/calendar", /^BEGIN:VCALENDAR\r?\n/i],
  ["text/vcard", /^BEGIN:VCARD\r?\n/i],
];

function textType(start: string): string | undefined {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start)) return "text/plain";
  if (binary.test(start)) return undefined;
  const text = start.replace(/^\xef\xbb\xbf/, "").trimStart();
  return textStarts.find(([, pattern]) => pattern.test(text))?.[0] ?? "text/plain";
}

/** The types that `detectContentType` returns. Files of all other types are `unknownContentType`. */
export const detectedContentTypes = lazy((): readonly string[] => [
  ...new Set([
    unknownContentType,
    ...[...signatures(), ...mediaBrands, ...officeFolders].map(([type]) => type),
    ...namedArchiveTypes,
    ...textStarts.map(([type]) => type),
    "application/zip",
    "video/mp4",
    "video/webm",
    "video/matroska",
    "image/bmp",
    "text/plain",
    "application/vnd.microsoft.portable-executable",
  ]),
]);
