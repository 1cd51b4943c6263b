/** RFC 4648, section 5, without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Undefined also where the last character has bits that stand for nothing, or with padding or spaces: each value is
 * written in one way (section 3.5).
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    return toBase64url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
