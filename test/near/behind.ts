/** What is done behind answers is not waited for. */
export const behind = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
} as unknown as ExecutionContext;
