/** Encodes as RFC 4648, section 5, without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Returns undefined for padding, spaces and unused bits in the last character, so that each value has exactly one
 * encoding (section 3.5).
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    return toBase64url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
