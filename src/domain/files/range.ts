/** A range of bytes of a file. The length is at least 1. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Parses a Range header (RFC 9110, section 14.2). Null stands for the whole file, which a server may return for several
 * ranges or for a malformed range.
 */
export function parseRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | null {
  const [, first = "", last = ""] =
    /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? "") ?? [];
  if (first === "") {
    if (last === "") return null;
    const length = Math.min(Number(last), bytes);
    return length === 0 ? "unsatisfiable" : { offset: bytes - length, length };
  }
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return null;
  if (offset >= bytes) return "unsatisfiable";
  const end = last === "" ? bytes : Math.min(Number(last) + 1, bytes);
  return { offset, length: end - offset };
}
