import { ensureBundle } from "../dev/built.ts";

/** Builds the bundle once per test run, before the first file. */
export default function setup(): void {
  ensureBundle();
}
