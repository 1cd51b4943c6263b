import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { startMilliseconds } from "../measure/start.ts";
import { figure, table } from "../report/markdown.ts";
import { bundle, bytesByArea, project } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import type { Part } from "./bench.ts";

/**
 * The size on 2026-11-27 with the limits of pages and bulk actions, plus 2 %, so that growth is noticed. The start has a
 * separate limit.
 */
const maxKilobytes = 552;
const maxStartRatio = 2.5;
const startRounds = 9;

/** Measures the size of the deployed bundle, its areas, and its start next to that of a bare Worker. */
export const bundleSize: Part = async (bench) => {
  const file = bundle("src/index.ts", bench.builds);
  const code = readFileSync(file);
  const gzippedKilobytes = gzipSync(code, { level: 9 }).length / 1024;
  if (gzippedKilobytes > maxKilobytes) {
    throw new Error(
      `The bundle has ${gzippedKilobytes.toFixed(1)} KB gzipped; ${maxKilobytes} are allowed.`,
    );
  }
  const service = new Service(bench.onDisk(), { main: file });
  const starts = [];
  for (let i = 0; i < 5; i += 1) {
    starts.push(await service.start());
    await service.stop();
  }
  const bare = buildBare(bench.builds);
  const [bareStart = 0, start = 0] = await startMilliseconds([bare, file], startRounds);
  const text = table(
    ["", ""],
    [
      ["minified", `${figure(code.length / 1024)} KB`],
      [
        `minified and gzipped (goal: at most ${maxKilobytes} KB)`,
        `${gzippedKilobytes.toFixed(1)} KB`,
      ],
      ["CPU time of the start", `${figure(start)} ms`],
      ["the same of a bare Worker with Hono, zod and Drizzle", `${figure(bareStart)} ms`],
      [
        `ratio of the two (goal: at most ${maxStartRatio})`,
        `${(start / bareStart).toFixed(1)} ${start / bareStart <= maxStartRatio ? "✓" : "✗"}`,
      ],
      [
        "from the start of the process to the first answer (goal: at most 0.3 s)",
        `${starts.toSorted((a, b) => a - b)[2]?.toFixed(2)} s`,
      ],
    ],
  );
  const areas = bytesByArea(file).map(([area, bytes]) => [area, figure(bytes / 1024)]);
  const split = table(["area or package", "minified, KB"], areas);
  return [{ title: "Bundle and start", text: `${text}\n\n${split}` }];
};

/** Builds the bare Worker like wrangler. wrangler itself rejects it, because it exports no Durable Objects. */
function buildBare(folder: string): string {
  const outfile = join(folder, "bare.js");
  buildSync({
    entryPoints: [join(project, "bench/workers/bare.ts")],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
  });
  return outfile;
}
