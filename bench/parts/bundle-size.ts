import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { figure, table } from "../report/markdown.ts";
import { bundle, project } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import type { Part } from "./bench.ts";

const mostKilobytes = 265;

/** How large the deployed bundle is, and what its start costs. */
export const bundleSize: Part = async (bench) => {
  const file = bundle("src/index.ts", bench.builds);
  const code = readFileSync(file);
  const zipped = gzipSync(code, { level: 9 }).length / 1024;
  if (zipped > mostKilobytes) {
    throw new Error(
      `The bundle has ${zipped.toFixed(1)} KB gzipped; ${mostKilobytes} are allowed.`,
    );
  }
  const service = new Service(bench.onDisk(), { main: file }, 8890);
  const starts = [];
  for (let i = 0; i < 5; i += 1) {
    starts.push(await service.start());
    await service.stop();
  }
  const text = table(
    ["", ""],
    [
      ["minified", `${figure(code.length / 1024)} KB`],
      [`minified and gzipped (goal: at most ${mostKilobytes} KB)`, `${zipped.toFixed(1)} KB`],
      ["CPU time of the start, by `wrangler check startup`", `${startupMilliseconds()} ms`],
      [
        "from the start of the process to the first answer (goal: at most 0.3 s)",
        `${starts.toSorted((a, b) => a - b)[2]?.toFixed(2)} s`,
      ],
    ],
  );
  return [{ title: "Bundle and start", text }];
};

/** The samples of the profile that `wrangler check startup` writes, without those in which the CPU was idle. */
function startupMilliseconds(): string {
  const outfile = `${project}.wrangler/startup.cpuprofile`;
  const done = spawnSync("wrangler", ["check", "startup", `--outfile=${outfile}`], {
    cwd: project,
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(done.stdout + done.stderr);
  const profile = JSON.parse(readFileSync(outfile, "utf8")) as {
    nodes: { id: number; callFrame: { functionName: string } }[];
    samples: number[];
    timeDeltas: number[];
  };
  const idle = new Set(
    profile.nodes
      .filter(({ callFrame }) => /^\((idle|program)\)$/.test(callFrame.functionName))
      .map(({ id }) => id),
  );
  const busy = profile.timeDeltas.filter((_, i) => !idle.has(profile.samples[i] ?? -1));
  return figure(busy.reduce((sum, each) => sum + each, 0) / 1000);
}
