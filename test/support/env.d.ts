/// <reference types="@cloudflare/vitest-pool-workers/types" />
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("../../src/index");
  }
}

interface ImportMeta {
  /** Vite's: files by a pattern. */
  glob<File>(pattern: string, options: object): Record<string, File>;
}
