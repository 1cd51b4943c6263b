/* oxlint-disable no-console */

const log = console.log.bind(console);

/** The request log has its own test. Elsewhere it would hide failures, and passing it to Vitest takes time. */
export function quietRequestLog(): void {
  console.log = (...values: unknown[]) => {
    const [line] = values;
    if (typeof line === "string" && /^{"event":"(request|recovered|mended)"/.test(line)) return;
    log(...values);
  };
}
