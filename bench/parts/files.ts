import { createHash, randomBytes } from "node:crypto";
import { request, type IncomingMessage } from "node:http";
import { cpuSeconds, memory } from "../measure/machine.ts";
import { median } from "../measure/statistics.ts";
import { figure, table } from "../report/markdown.ts";
import { bundle, stage } from "../serve/bundle.ts";
import { Service } from "../serve/service.ts";
import type { Part } from "./bench.ts";

const bytes = 90_000_000;
const maxRatio = 1.3;
const sampleMs = 5;
const form = "files";

/** The cost of one transfer for the runtime. */
interface Cost {
  cpuMs: number;
  /** The peak memory of the runtime, which contains both Workers and the bucket. */
  peakMb: number;
  /** The rise of the memory above its level before the transfer. */
  riseMb: number;
  ms: number;
}

interface Transfers {
  upload: () => Promise<void>;
  /** Attaches the file between both transfers, because a download needs it. This is not measured. */
  attach: () => Promise<void>;
  download: () => Promise<void>;
}

/** Compares uploads and downloads with a bare Worker that passes the same bytes to the same bucket. */
export const files: Part = async (bench) => {
  const bundles = {
    main: bundle("src/index.ts", bench.builds),
    floor: stage("bench/workers/files-floor.ts", bench.builds),
  };
  const service = new Service(bench.onDisk(), bundles);
  await service.begin();
  const [token = ""] = await service.tokens(1);
  await service.define(form, token, [{ key: "attachments", type: "files", max_bytes: bytes }]);
  const content = randomBytes(bytes);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const subjects = {
    floor: floorTransfers(service.url("floor"), content, sha256),
    service: serviceTransfers(service.url(), token, content, sha256),
  };
  const costs = { floor: emptyCosts(), service: emptyCosts() };
  // The first round only warms up.
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const name of ["floor", "service"] as const) {
      const { upload, attach, download } = subjects[name];
      const uploadCost = await measured(service.pid, upload);
      await attach();
      const downloadCost = await measured(service.pid, download);
      if (round === 0) continue;
      costs[name].upload.push(uploadCost);
      costs[name].download.push(downloadCost);
    }
  }
  await service.stop();
  service.remove();
  const rows = (["upload", "download"] as const).flatMap((direction) =>
    rowsOf(direction, costs.floor[direction], costs.service[direction]),
  );
  const text = table(["one file of 90 MB", "bare Worker", "service", "ratio"], rows);
  return [
    {
      title: "Files",
      text: `${text}\n\nThe bare Worker passes the same bytes to the same emulation of R2, with the same digest.
Memory is that of the runtime, with both Workers and the emulation. A Worker that kept the 90 MB would exceed the goal.`,
    },
  ];
};

const emptyCosts = () => ({ upload: [] as Cost[], download: [] as Cost[] });

function rowsOf(direction: string, floor: readonly Cost[], service: readonly Cost[]) {
  const names = {
    cpuMs: "CPU, ms",
    peakMb: "peak memory, MB",
    riseMb: "of it during the transfer, MB",
    ms: "time, ms",
  } as const;
  return Object.entries(names).map(([key, name]) => {
    const [bare, ours] = [floor, service].map((costs) =>
      median(costs.map((cost) => cost[key as keyof Cost])),
    ) as [number, number];
    const ratio = ours / bare;
    // The rise is a few MB and depends on the garbage collector.
    const verdict =
      key === "ms" || key === "riseMb" ? "" : ratio <= maxRatio ? " ✓" : ` ✗ (goal ${maxRatio})`;
    return [`${direction}: ${name}`, figure(bare), figure(ours), `${ratio.toFixed(2)}${verdict}`];
  });
}

async function measured(pid: number, transfer: () => Promise<void>): Promise<Cost> {
  const [cpuBefore, memoryBefore, startedAt] = [cpuSeconds(pid), memory(pid), performance.now()];
  let peak = memoryBefore;
  const sampler = setInterval(() => (peak = Math.max(peak, memory(pid))), sampleMs);
  await transfer();
  clearInterval(sampler);
  return {
    cpuMs: (cpuSeconds(pid) - cpuBefore) * 1000,
    peakMb: peak,
    riseMb: Math.max(1, peak - memoryBefore),
    ms: performance.now() - startedAt,
  };
}

function floorTransfers(url: string, content: Buffer, sha256: string): Transfers {
  const file = `${url}/file`;
  return {
    upload: () => send("PUT", file, { "X-Sha256": sha256 }, content).then(drain),
    attach: () => Promise.resolve(),
    download: () => send("GET", file, {}).then(drain),
  };
}

function serviceTransfers(url: string, token: string, content: Buffer, sha256: string): Transfers {
  const authorization = { Authorization: `Bearer ${token}` };
  const json = { ...authorization, "Content-Type": "application/json" };
  const place = { collection: `form:${form}`, field: "attachments", name: "a.bin" };
  let file = "";
  const post = (path: string, body: object) =>
    send("POST", `${url}/api/v1${path}`, json, Buffer.from(JSON.stringify(body)));
  return {
    upload: async () => {
      const announced = await textOf(await post("/files", { ...place, bytes, sha256 }));
      file = (JSON.parse(announced) as { id: string }).id;
      const path = `/api/v1/files/${file}/content`;
      await send("PUT", url + path, authorization, content).then(drain);
    },
    attach: async () => {
      const data = { attachments: [file] };
      await drain(await post(`/forms/${form}/submissions`, { data }));
    },
    download: () => send("GET", `${url}/api/v1/files/${file}/content`, authorization).then(drain),
  };
}

function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body ? { "Content-Length": String(body.length) } : {};
    const outgoing = request(url, { method, headers: { ...headers, ...length } }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function drain(response: IncomingMessage): Promise<void> {
  const { statusCode = 0 } = response;
  if (statusCode > 299) throw new Error(`${statusCode} ${await textOf(response)}`);
  for await (const _ of response);
}
