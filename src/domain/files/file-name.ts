import { toStoredText } from "#domain/text.ts";

/** The maximum length of file names on Windows and macOS, in UTF-16 code units. */
export const maxFileNameLength = 255;

/**
 * Characters that deceive readers: controls, line separators, characters that reverse text, and unassigned specials.
 */
const deceptive = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff\ufff0-\uffff]/gu;

/**
 * Returns a file's name as the service stores and displays it: in normal form C, without folders, and without
 * characters that deceive readers. Returns null if the name is too long or if nothing usable remains.
 */
export function normaliseFileName(name: string): string | null {
  // Rejects a name of this length before normalizing it, because normalizing would be expensive.
  if (name.length > 4 * maxFileNameLength) return null;
  const normalForm = toStoredText(name.replace(deceptive, ""));
  const lastPart = normalForm?.split(/[/\\]/).at(-1);
  // Windows removes spaces and dots from the end of a name, so two names could become the same.
  const trimmed = lastPart?.replace(/^\s+|[\s.]+$/gu, "");
  if (!trimmed || trimmed.length > maxFileNameLength) return null;
  return trimmed;
}

/**
 * Builds the Content-Disposition header of a download (RFC 6266). Old programs read the first name, which is ASCII. All
 * others read the second name (RFC 8187).
 */
export function contentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
