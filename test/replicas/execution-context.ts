/** An execution context that does not wait for background work. */
export const detachedContext = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
} as unknown as ExecutionContext;
