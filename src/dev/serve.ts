import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { parseOptions } from "./command.ts";
import { createDemo } from "./demo/seed.ts";
import { stop } from "./deploy/wrangler.ts";
import { migrateLocalDatabase } from "./local-database.ts";
import {
  defaultCredential,
  ensureSecrets,
  issueCredential,
  localCredentialName,
  Owner,
  saveLocal,
} from "./owner.ts";
import { createLineFilter } from "./wrangler-lines.ts";

/**
 * `npm run dev` creates secrets, a database with a demo, and a credential, starts the server, and prints a working curl
 * command.
 */

const cronMs = 60_000;
const quietMs = 400;
/** The maximum wait. The requests of the set-up are logged within a moment, even on a busy machine. */
const maxQuietWaitMs = 10_000;
/** The time of the last line. Infinity until the first request of the set-up is logged. */
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
let server: ChildProcess | undefined;
try {
  await serveDemo();
} catch (error) {
  server?.kill("SIGTERM");
  stop(error instanceof Error ? error.message : String(error));
}

async function serveDemo(): Promise<void> {
  // Creating the demo takes a while, so this reports a port in use first.
  await assertPortIsFree();
  const setupSecret = ensureSecrets();
  if (!(await migrateLocalDatabase())) await createDemo(setupSecret);
  server = await startServer();
  runCron();
  const { email, password, token } = await ensureToken(setupSecret);
  await waitUntilQuiet();
  console.log(`
Edge Forms answers at ${url}

  Administration   ${url}/admin
  Sign in as       ${email}
  Password         ${password}

  curl -s '${url}/api/v1/apps/orders/records?limit=2' -H 'Authorization: Bearer ${token}'
`);
}

/** Waits until wrangler has printed the output of the set-up, so that the sign-in data comes last. */
async function waitUntilQuiet(): Promise<void> {
  const end = performance.now() + maxQuietWaitMs;
  while (performance.now() < end && performance.now() - lastLineAt < quietMs)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/**
 * Starts wrangler, and waits for its own report that it serves the port. If another server took the port, it would
 * respond to a request and receive the set-up secret and the password.
 */
async function startServer(): Promise<ChildProcess> {
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
    { stdio: ["ignore", "pipe", "pipe", "ipc"] },
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => child.kill("SIGTERM"));
  }
  // When npm is killed, its children get no signal and would keep the port, so this watches for a new parent.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 500).unref();
  printLines(child.stdout, console.log);
  printLines(child.stderr, console.error);
  const ready = new Promise<void>((resolve, reject) => {
    let isReady = false;
    child.on("message", (message) => {
      isReady ||= JSON.stringify(message).includes("DEV_SERVER_READY");
      if (isReady) resolve();
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      const exit = () => process.exit(code ?? 1);
      if (isReady) exit();
      else assertPortIsFree().then(exit, reject);
    });
  });
  await ready;
  return child;
}

/** Prints the lines of wrangler that ours do not replace. */
function printLines(stream: Readable | null, print: (line: string) => void): void {
  if (stream === null) return;
  const isPrinted = createLineFilter();
  createInterface({ input: stream }).on("line", (line) => {
    if (lastLineAt < Infinity || line.includes('"event":"request"')) {
      lastLineAt = performance.now();
    }
    if (isPrinted(line)) print(line);
  });
}

/** Runs the scheduled work now and every minute, because `wrangler dev` never does. */
function runCron(): void {
  void callCron();
  setInterval(() => void callCron(), cronMs).unref();
}

async function callCron(): Promise<void> {
  await fetch(`${url}/cdn-cgi/local/scheduled`).catch(() => undefined);
}

/** Stops if the port is in use. Another server on it would receive the set-up secret and the password. */
async function assertPortIsFree(): Promise<void> {
  const probe = createServer();
  const canListen = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(Number(port), "127.0.0.1", () => resolve(true));
  });
  if (!canListen) {
    throw new Error(
      `Port ${port} is in use. Choose another one: npm run dev -- --port ${Number(port) + 1}`,
    );
  }
  await new Promise((resolve) => probe.close(resolve));
}

/** Creates the owner and a token if they are missing. Returns the sign-in and the token. */
async function ensureToken(
  setupSecret: string,
): Promise<{ email: string; password: string; token: string }> {
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
