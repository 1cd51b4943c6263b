import { lazy } from "#domain/lazy.ts";

/** Loaded on first use, because loading takes milliseconds and API requests do without it. */
export const nodeCrypto = lazy(() => process.getBuiltinModule("node:crypto"));
