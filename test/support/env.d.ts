/// <reference types="@cloudflare/vitest-pool-workers/types" />
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("../../src/index");
  }
}

interface ImportMeta {
  /** Loads files that match a pattern (Vite). */
  glob<File>(pattern: string, options: object): Record<string, File>;
}
