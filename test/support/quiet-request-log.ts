/* oxlint-disable no-console */

/** The request log has its own test. Elsewhere it would hide failures, and passing it to Vitest takes time. */
const log = console.log.bind(console);
console.log = (...values: unknown[]) => {
  const [line] = values;
  if (typeof line === "string" && /^{"event":"(request|recovered|mended)"/.test(line)) return;
  log(...values);
};
