import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Settings, Ports, Service } from "../../src/http/service.ts";
import type { Memory } from "../../src/domain/memory.ts";
import type { Timeline } from "../../src/domain/timeline.ts";
import type { ServiceSettings } from "../../src/service.ts";
import { hashFiles } from "../hash-files.ts";
import { subtle } from "./platform/services.ts";

export const root = new URL("../..", import.meta.url).pathname;
const folder = join(root, "dist/simulation");

/** A textual change of the source. `from` must occur exactly once in the file. */
export interface Patch {
  file: string;
  from: string;
  to: string;
}

/** A build of the service. */
export interface Bundle {
  worker: {
    fetch(request: Request, env: { service: Service }, ctx: object): Promise<Response>;
    scheduled(event: { scheduledTime: number }, env: { service: Service }): Promise<void>;
  };
  objects: Record<string, new (ctx: DurableObjectState, env: { service: Service }) => object>;
  createService(
    ports: Ports,
    settings: Settings & Pick<ServiceSettings, "jurisdictions"> & { timeline: Timeline },
    memory?: Memory,
  ): Service;
}

/**
 * Replaces the service that the Worker creates from its bindings by the service of a host. The rest of the source is
 * unchanged.
 */
const givenService: Patch = {
  file: "src/index.ts",
  from: "const existing = services.get(env);",
  to: "const existing = services.get(env) ?? (env as unknown as { service: Service }).service;",
};

const limit = (file: string, from: string, count: number): Patch => ({
  file: `src/${file}`,
  from: `const ${from};`,
  to: `const ${from.replace(/ = .*/, "")} = ${count};`,
});

/** Reduces the portions of moves, because plans have few rows. */
const smallPortions = [
  limit("store/data/move-rows.ts", "rowsPerChunk = 4000", 12),
  limit("store/data/move-rows.ts", "erasedPerStep = 4000", 12),
  limit("store/data/move-log.ts", "maxNotes = 1000", 8),
  limit("actions/flip-move.ts", "maxFrozenNotes = 500", 12),
];

/** Whether a version of the service has moves. */
const hasMoves = (from: string) => existsSync(join(from, "src/actions/run-moves.ts"));

const entry = `
  import worker, { CredentialGate, WebhookSender } from "./src/index.ts";
  export { worker };
  export const objects = { CredentialGate, WebhookSender };
  export { createService } from "./src/service.ts";
`;

/** Loads the service, with patches. Builds it if no earlier process has built it from the same sources. */
export async function loadBundle(patches: readonly Patch[] = [], from = root): Promise<Bundle> {
  const tools = ["package-lock.json", "tsconfig.json", "test/simulation/bundle.ts"];
  const inputs = hashFiles(from, ["src/**/*.{ts,tsx}"], [patches, hashFiles(root, tools)]);
  const path = join(folder, `${inputs}.mjs`);
  if (!existsSync(path)) {
    const contents = await buildBundle(patches, from);
    mkdirSync(folder, { recursive: true });
    // Writes to a temporary path, because another process must not read an incomplete file.
    const written = `${path}.${process.pid}`;
    writeFileSync(written, contents);
    renameSync(written, path);
  }
  Object.assign(globalThis, { simulatedSubtle: subtle });
  return (await import(pathToFileURL(path).href)) as Bundle;
}

async function buildBundle(patches: readonly Patch[], from: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: from, loader: "ts" },
    absWorkingDir: from,
    tsconfig: join(root, "tsconfig.json"),
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    external: ["node:*"],
    conditions: ["workerd", "worker", "module", "browser"],
    mainFields: ["browser", "module", "main"],
    define: { "crypto.subtle": "simulatedSubtle" },
    plugins: [
      simulated(from, [givenService, ...(hasMoves(from) ? smallPortions : []), ...patches]),
    ],
    logOverride: { "unsupported-require-call": "silent" },
    write: false,
  });
  const [output] = outputFiles;
  if (!output) throw new Error("No bundle.");
  return output.contents;
}

function simulated(from: string, patches: readonly Patch[]): Plugin {
  return {
    name: "simulated",
    setup(bundler) {
      const pending = new Set(patches);
      bundler.onResolve({ filter: /^cloudflare:workers$/ }, () => ({
        path: "workers",
        namespace: "cloudflare",
      }));
      bundler.onLoad({ filter: /./, namespace: "cloudflare" }, () => ({
        contents:
          "export class DurableObject { constructor(ctx, env) { Object.assign(this, { ctx, env }); } }",
      }));
      bundler.onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path }) => {
        const file = relative(from, path);
        const own = patches.filter((patch) => patch.file === file);
        if (own.length === 0) return undefined;
        for (const patch of own) pending.delete(patch);
        const contents = own.reduce(applyPatch, readFileSync(path, "utf8"));
        return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
      bundler.onEnd(() => {
        for (const { file } of pending) throw new Error(`No file ${file} for a patch.`);
      });
    },
  };
}

export function applyPatch(source: string, { file, from, to }: Patch): string {
  const count = source.split(from).length - 1;
  if (count !== 1) throw new Error(`${file} contains ${count} times: ${from}`);
  return source.replace(from, () => to);
}

const formerFolder = (commit: string) => join(folder, "former", commit);

/** Whether the history has the commit. A shallow clone may lack it. */
export const hasFormerVersion = (commit: string): boolean =>
  existsSync(formerFolder(commit)) || archiveOf(commit) !== undefined;

/** Loads the service at a commit. In a shallow clone without that commit, loads the current version instead. */
export function loadFormerBundle(commit: string): Promise<Bundle> {
  const from = formerFolder(commit);
  if (!existsSync(from)) {
    const archive = archiveOf(commit);
    if (archive === undefined) {
      console.error(
        `The history lacks ${commit}. Both versions in the simulation are the present one.`,
      );
      return loadBundle();
    }
    mkdirSync(dirname(from), { recursive: true });
    const unpacked = mkdtempSync(`${from}-`);
    execFileSync("tar", ["-x", "-C", unpacked], { input: archive });
    moveFolder(unpacked, from);
  }
  return loadBundle([], from);
}

/** Moves a folder. Several processes may unpack the same version at the same time, and the first one's folder stays. */
function moveFolder(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
    rmSync(from, { recursive: true });
  }
}

function archiveOf(commit: string): Buffer | undefined {
  try {
    return execFileSync("git", ["archive", commit, "src", "package.json"], {
      cwd: root,
      maxBuffer: 200_000_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return undefined;
  }
}
