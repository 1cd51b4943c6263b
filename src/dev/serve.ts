import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { watch } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { parseOptions } from "./command.ts";
import { stop } from "./deploy/wrangler.ts";
import {
  defaultCredential,
  ensureSecrets,
  issueCredential,
  localCredentialName,
  Owner,
  saveLocal,
} from "./owner.ts";
import { createDemo } from "./demo/seed.ts";

/** `npm run dev` creates secrets, migrates, starts the server, seeds a demo, and prints a working curl command. */

/** Like `[wrangler:info] GET /health 200 OK (5ms)`, possibly coloured. */
const wranglerRequestLine = /\[wrangler:info\].* (?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /;
const docsFolder = new URL("../../docs", import.meta.url).pathname;
/** Editors write a file in several steps. */
const rebuildDelayMs = 100;
const quietMs = 400;
/** The set-up's requests are logged within a moment, even on a busy machine. */
const maxQuietWaitMs = 10_000;
/** When the last line came. Infinite until the first request of the set-up is logged. */
let lastLineAt = Infinity;
const usage = `
Usage: npm run dev -- [options]

Creates secrets, migrates the local database, serves the project, and creates an owner and a demo.

  --port NUMBER   port to serve on; default: 8787
`;

const { port } = parseOptions(usage, { port: { type: "string", default: "8787" } });
if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
  stop("--port must be a number from 1 to 65535.");
}
const url = `http://127.0.0.1:${port}`;
// Otherwise another server on this port would receive the set-up secret and the password.
if (!(await isPortFree(Number(port)))) {
  stop(`Port ${port} is in use. Choose another one: npm run dev -- --port ${Number(port) + 1}`);
}

const setupSecret = ensureSecrets();
await createDemo(setupSecret);
migrate();
const server = serve();
await waitUntilReady(server);
const { email, password, token } = await ensureToken();
watchDocs();
await waitUntilQuiet();
console.log(`
Edge Forms answers at ${url}

  Administration   ${url}/admin
  Sign in as       ${email}
  Password         ${password}

  curl -s ${url}/api/v1/apps/orders/records -H 'Authorization: Bearer ${token}'
`);

/** Waits until wrangler has printed the output of the set-up, so that the sign-in data comes last. */
async function waitUntilQuiet(): Promise<void> {
  const end = performance.now() + maxQuietWaitMs;
  while (performance.now() < end && performance.now() - lastLineAt < quietMs)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Rebuilds the pages of the documentation when a file in `docs` changes. */
function watchDocs(): void {
  let timer: NodeJS.Timeout | undefined;
  watch(docsFolder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => spawn(process.execPath, ["src/dev/assets.ts"], { stdio: "inherit" }),
      rebuildDelayMs,
    );
  }).unref();
}

function migrate(): void {
  const migration = spawnSync("wrangler", ["d1", "migrations", "apply", "DB", "--local"], {
    env: { ...process.env, CI: "true" },
    encoding: "utf8",
  });
  if (migration.status === 0) return;
  console.error(migration.stdout, migration.stderr, migration.error ?? "");
  process.exit(1);
}

function serve(): ChildProcess {
  const child = spawn(
    "wrangler",
    [
      "dev",
      "--ip=127.0.0.1",
      `--port=${port}`,
      "--inspector-port=0",
      "--show-interactive-dev-session=false",
      // Keeps the function names in stack traces.
      "--minify=false",
      // Lets webhooks call this machine over http. No deployment sets this variable.
      "--var=LOCAL_RECEIVERS:allowed",
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  // wrangler logs each request as well. The service's own line says more.
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (lastLineAt < Infinity || line.includes('"event":"request"')) {
      lastLineAt = performance.now();
    }
    if (!wranglerRequestLine.test(line)) console.log(line);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => child.kill("SIGTERM"));
  }
  // When npm is killed, its children get no signal and would keep the port. So watch for a new parent.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 500).unref();
  child.on("exit", (code) => process.exit(code ?? 1));
  return child;
}

/** Whether nothing listens on the port of this machine. */
async function isPortFree(candidate: number): Promise<boolean> {
  const probe = createServer();
  const canListen = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(candidate, "127.0.0.1", () => resolve(true));
  });
  if (canListen) await new Promise((resolve) => probe.close(resolve));
  return canListen;
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Creates the owner and a token if they are missing. Returns the sign-in and the token. */
async function ensureToken(): Promise<{ email: string; password: string; token: string }> {
  const owner = new Owner(url);
  const { local } = owner;
  if (local.token && (await isValidToken(local.token))) return { ...local, token: local.token };
  await owner.setUp(setupSecret);
  const issued = await issueCredential(owner, {
    ...defaultCredential,
    name: localCredentialName,
    expires: "365d",
  });
  if (!("token" in issued)) throw new Error("The response has no personal token.");
  local.token = issued.token;
  saveLocal(local);
  return { ...local, token: local.token };
}

async function isValidToken(bearer: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/me`, {
    headers: { Authorization: `Bearer ${bearer}` },
  });
  return response.ok;
}
