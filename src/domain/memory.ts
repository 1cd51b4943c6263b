/** The state that an isolate keeps between requests. Each part is created on first use. */
export type Memory = Map<object, unknown>;

export const createMemory = (): Memory => new Map();

/**
 * Declares a part of the memory and returns its getter. Only the declaring file can access the part,
 * so no layer depends on the parts of others.
 */
export function memoryPart<Part extends object>(create: () => Part): (memory: Memory) => Part {
  const key = {};
  return (memory) => {
    const existing = memory.get(key);
    if (existing !== undefined) return existing as Part;
    const created = create();
    memory.set(key, created);
    return created;
  };
}
