import { env } from "cloudflare:workers";

/** Whether random tests run at full size, as in `npm run test:all` (test/vitest.config.ts). */
export const isFullSize = (env as unknown as { FULL_SIZE: string }).FULL_SIZE === "yes";

/** A number of random cases: small in `npm test`. */
export const sized = (small: number, full: number): number => (isFullSize ? full : small);
