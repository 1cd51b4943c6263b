/** A CPU profile as V8's inspector returns it. */
interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds between consecutive samples. */
  timeDeltas: number[];
}

/** Records a CPU profile of a Worker through the inspector while `work` runs. */
export async function profile(
  inspector: string,
  worker: string,
  work: () => Promise<unknown>,
): Promise<Profile> {
  const targets = (await (await fetch(`${inspector}/json`)).json()) as {
    id: string;
    webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ id }) => id.endsWith(worker));
  if (!target) throw new Error(`The inspector knows no ${worker}.`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let lastId = 0;
  const call = (method: string, params = {}) =>
    new Promise<Record<string, unknown>>((resolve) => {
      const id = (lastId += 1);
      socket.addEventListener("message", function onMessage({ data }) {
        const message = JSON.parse(String(data)) as {
          id?: number;
          result?: Record<string, unknown>;
        };
        if (message.id !== id) return;
        socket.removeEventListener("message", onMessage);
        resolve(message.result ?? {});
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  await call("Profiler.enable");
  await call("Profiler.setSamplingInterval", { interval: 200 });
  await call("Profiler.start");
  await work();
  const { profile: cpuProfile } = await call("Profiler.stop");
  socket.close();
  return cpuProfile as Profile;
}

type Node = Profile["nodes"][number];

const nameOf = ({ callFrame: { functionName, url, lineNumber } }: Node) =>
  `${functionName || "(anonymous)"} ${url.slice(url.lastIndexOf("/") + 1)}:${lineNumber + 1}`;

/** Lists the functions with the most self time, with their share of the total. */
export function hottest(cpuProfile: Profile, maxLines: number): string[] {
  return rankLines(
    measureTimes(cpuProfile, (node) => node),
    maxLines,
    (share) => `${(share * 100).toFixed(1).padStart(5)} %`,
  );
}

/**
 * Lists the Worker's own functions with their microseconds per request. The time of a function includes the language
 * and platform functions that it calls, but not the runtime's own work or the D1 bindings.
 */
export function ownFunctions(cpuProfile: Profile, requests: number, maxLines: number): string[] {
  const parents = new Map<number, Node>();
  for (const node of cpuProfile.nodes)
    for (const child of node.children ?? []) parents.set(child, node);
  const ownerOf = (node: Node): Node | undefined => {
    const { url } = node.callFrame;
    if (url.includes("worker")) return node;
    const parent = parents.get(node.id);
    return parent && !url.startsWith("cloudflare-internal") ? ownerOf(parent) : undefined;
  };
  const timeByFunction = measureTimes(cpuProfile, ownerOf);
  const total = [...timeByFunction.values()].reduce((sum, microseconds) => sum + microseconds, 0);
  const perRequest = (microseconds: number) => (microseconds / requests).toFixed(2).padStart(7);
  const lines = rankLines(timeByFunction, maxLines, (share) => `${perRequest(share * total)} µs`);
  return [`${perRequest(total)} µs  in all`, ...lines];
}

/** Sums the microseconds of the samples by function name. `attributeTo` chooses the function of each sample. */
function measureTimes(
  { nodes, samples, timeDeltas }: Profile,
  attributeTo: (node: Node) => Node | undefined,
): Map<string, number> {
  const attributed = new Map(nodes.map((node) => [node.id, attributeTo(node)]));
  const timeByFunction = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const node = attributed.get(id);
    if (!node || /^\((?:idle|root)\)/.test(node.callFrame.functionName)) continue;
    const name = nameOf(node);
    timeByFunction.set(name, (timeByFunction.get(name) ?? 0) + (timeDeltas[i] ?? 0));
  }
  return timeByFunction;
}

function rankLines(
  timeByFunction: Map<string, number>,
  maxLines: number,
  formatShare: (share: number) => string,
): string[] {
  const total = [...timeByFunction.values()].reduce((sum, time) => sum + time, 0);
  return [...timeByFunction]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, maxLines)
    .map(([name, time]) => `${formatShare(time / total)}  ${name}`);
}
