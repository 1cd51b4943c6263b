/** A CPU profile as V8's inspector gives it. */
interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds between the samples. */
  timeDeltas: number[];
}

/** Takes a CPU profile of a Worker by the inspector, while `work` runs. */
export async function profile(
  inspector: string,
  worker: string,
  work: () => Promise<unknown>,
): Promise<Profile> {
  const targets = (await (await fetch(`http://${inspector}/json`)).json()) as {
    id: string;
    webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ id }) => id.endsWith(worker));
  if (!target) throw new Error(`The inspector knows no ${worker}.`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let last = 0;
  const ask = (method: string, params = {}) =>
    new Promise<Record<string, unknown>>((resolve) => {
      const id = (last += 1);
      socket.addEventListener("message", function answered({ data }) {
        const message = JSON.parse(String(data)) as {
          id?: number;
          result?: Record<string, unknown>;
        };
        if (message.id !== id) return;
        socket.removeEventListener("message", answered);
        resolve(message.result ?? {});
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  await ask("Profiler.enable");
  await ask("Profiler.setSamplingInterval", { interval: 200 });
  await ask("Profiler.start");
  await work();
  const { profile: taken } = await ask("Profiler.stop");
  socket.close();
  return taken as Profile;
}

type Node = Profile["nodes"][number];

const nameOf = ({ callFrame: { functionName, url, lineNumber } }: Node) =>
  `${functionName || "(anonymous)"} ${url.slice(url.lastIndexOf("/") + 1)}:${lineNumber + 1}`;

/** Where the time went: functions by the time that they themselves took, with their share. */
export function hottest(taken: Profile, most: number): string[] {
  return ranked(
    spentBy(taken, (node) => node),
    most,
    (share) => `${(share * 100).toFixed(1).padStart(5)} %`,
  );
}

/**
 * The Worker's own functions, each with what it calls of the language and the platform, in microseconds for each of so
 * many requests. What the runtime does by itself is left out, and so are the bindings of D1.
 */
export function ownFunctions(taken: Profile, requests: number, most: number): string[] {
  const parents = new Map<number, Node>();
  for (const node of taken.nodes) for (const child of node.children ?? []) parents.set(child, node);
  const own = (node: Node): Node | undefined => {
    const { url } = node.callFrame;
    if (url.includes("worker")) return node;
    const parent = parents.get(node.id);
    return parent && !url.startsWith("cloudflare-internal") ? own(parent) : undefined;
  };
  const spent = spentBy(taken, own);
  const total = [...spent.values()].reduce((sum, each) => sum + each, 0);
  const each = (microseconds: number) => (microseconds / requests).toFixed(2).padStart(7);
  const lines = ranked(spent, most, (share) => `${each(share * total)} µs`);
  return [`${each(total)} µs  in all`, ...lines];
}

/** Microseconds by the names of the functions that a sample is counted for. */
function spentBy(
  { nodes, samples, timeDeltas }: Profile,
  countedFor: (node: Node) => Node | undefined,
): Map<string, number> {
  const counted = new Map(nodes.map((node) => [node.id, countedFor(node)]));
  const spent = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const node = counted.get(id);
    if (!node || /^\((?:idle|root)\)/.test(node.callFrame.functionName)) continue;
    const name = nameOf(node);
    spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[i] ?? 0));
  }
  return spent;
}

function ranked(
  spent: Map<string, number>,
  most: number,
  told: (share: number) => string,
): string[] {
  const total = [...spent.values()].reduce((sum, time) => sum + time, 0);
  return [...spent]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, time]) => `${told(time / total)}  ${name}`);
}
