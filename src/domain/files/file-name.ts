import { toStoredText } from "#domain/text.ts";

/** As long as names of files may be on Windows and macOS, in UTF-16 code units. */
export const maxFileNameLength = 255;

/** Characters that deceive readers: controls, line separators, those that reverse text, and unassigned specials. */
const deceptive = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff\ufff0-\uffff]/gu;

/**
 * Returns a file's name as it is stored and shown: in normal form C, without folders, and without characters that deceive
 * readers. Returns null for a name of which nothing usable is left, or that is too long.
 */
export function normaliseFileName(name: string): string | null {
  // A name of this length is rejected in any form, and its normalization would be expensive.
  if (name.length > 4 * maxFileNameLength) return null;
  const normalForm = toStoredText(name.replace(deceptive, ""));
  const lastPart = normalForm?.split(/[/\\]/).at(-1);
  // Windows removes spaces and dots from the end of a name, which would make two names one.
  const trimmed = lastPart?.replace(/^\s+|[\s.]+$/gu, "");
  if (!trimmed || trimmed.length > maxFileNameLength) return null;
  return trimmed;
}

/**
 * Builds the header of a download (RFC 6266). Old programs read the first name, which is ASCII. All others read the
 * second (RFC 8187).
 */
export function contentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
