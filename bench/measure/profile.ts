/** A CPU profile as V8's inspector gives it. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
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

/** Where the time went: functions by the time that they themselves took, with their share. */
export function hottest({ nodes, samples, timeDeltas }: Profile, most: number): string[] {
  const names = new Map(
    nodes.map(({ id, callFrame }) => {
      const { functionName, url, lineNumber } = callFrame;
      const file = url.slice(url.lastIndexOf("/") + 1);
      return [id, `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`];
    }),
  );
  const spent = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? "";
    spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[i] ?? 0));
  }
  const busy = [...spent].filter(([name]) => !/^\((idle|root)\)/.test(name));
  const total = busy.reduce((sum, [, time]) => sum + time, 0);
  return busy
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
}
