import { lazy } from "#domain/lazy.ts";

/** Loaded on first use. Loading takes milliseconds, and API requests do not need it. */
export const nodeCrypto = lazy(() => process.getBuiltinModule("node:crypto"));
