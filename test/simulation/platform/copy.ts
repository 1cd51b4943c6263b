/** Copies data like `structuredClone`. Most data are plain objects and arrays, which this copies much faster. */
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
