import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { parseArgs } from "node:util";
import { ensureSecrets, keepLocal } from "./local.ts";
import { defaultCredential, issue, Owner } from "./owner.ts";
import { seed } from "./seed.ts";

/** `npm run dev`: secrets, migrations, the server, the local owner, a demo, and a curl line that works. */

const { values } = parseArgs({ options: { port: { type: "string", default: "8787" } } });
const url = `http://127.0.0.1:${values.port}`;

const setupSecret = ensureSecrets();
migrate();
const server = serve();
await answering(server);
const { email, password, token } = await prepare();
console.log(`
Edge Forms answers at ${url}

  Administration   ${url}/admin
  Sign in as       ${email}
  Password         ${password}

  curl -s ${url}/api/v1/apps/orders/records -H 'Authorization: Bearer ${token}'
`);

function migrate(): void {
  const done = spawnSync("wrangler", ["d1", "migrations", "apply", "DB", "--local"], {
    env: { ...process.env, CI: "true" },
    encoding: "utf8",
  });
  if (done.status === 0) return;
  console.error(done.stdout, done.stderr, done.error ?? "");
  process.exit(1);
}

function serve(): ChildProcess {
  const started = spawn(
    "wrangler",
    [
      "dev",
      "--ip=127.0.0.1",
      `--port=${values.port}`,
      "--inspector-port=0",
      "--show-interactive-dev-session=false",
      // The stacks of faults name functions here.
      "--minify=false",
      // Webhooks may call one's own machine, by http; nothing that is deployed knows of this.
      "--var=LOCAL_RECEIVERS:allowed",
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => started.kill("SIGTERM"));
  }
  // When npm is killed, nobody tells its children: the port would stay taken.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || started.kill("SIGTERM"), 500).unref();
  started.on("exit", (code) => process.exit(code ?? 1));
  return started;
}

async function answering(child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The owner's sign-in and a token that works, made where they are not there yet. */
async function prepare(): Promise<{ email: string; password: string; token: string }> {
  const owner = new Owner(url);
  await owner.setUp(setupSecret);
  const { local } = owner;
  if (!local.token || !(await works(local.token))) {
    const issued = await issue(owner, { ...defaultCredential, expires: "365d" });
    if (!("token" in issued)) throw new Error("A personal token was asked for.");
    local.token = issued.token;
    keepLocal(local);
  }
  await seed(url, local.token);
  return { ...local, token: local.token };
}

async function works(bearer: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/v1/me`, {
    headers: { Authorization: `Bearer ${bearer}` },
  });
  return answer.ok;
}
