/** What a form sent, by the names of its inputs. */
export type Sent = Record<string, unknown>;

/** A value as an input shows it. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** A number that an input or a script sent; none where it is something else. */
export function numberOf(value: unknown): number {
  return textOf(value).trim() === "" ? Number.NaN : Number(textOf(value));
}
