/** Copies data as `structuredClone` does. Plain objects and arrays, which are most of it, take much less time. */
export function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function") throw new TypeError("A function cannot be copied.");
    return value;
  }
  if (Array.isArray(value)) return value.map(copy) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (value instanceof Uint8Array) return value.slice() as T;
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const copied: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copied[name] = copy(member);
  return copied as T;
}
