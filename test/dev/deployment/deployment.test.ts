import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Cloud } from "./cloud.ts";

// Each deployment starts wrangler four times, which takes seconds where others use the machine as well.
vi.setConfig({ testTimeout: 900_000 });

const project = new URL("../../..", import.meta.url).pathname;

/** The commands of the guide: those that stand in blocks of `sh`, under the headings that they stand under. */
const guide = new Map(
  readFileSync(join(project, "docs/deployment.md"), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((section) => [
      section.slice(0, section.indexOf("\n")),
      [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = ""]) => commands),
    ]),
);

/** What a test cannot do: packages are linked in place of installed, and nobody signs in with a browser. */
const outside = `
npm() { if [ "$1" = ci ]; then [ -e node_modules ] || ln -s "$PACKAGES" node_modules; else command npm "$@"; fi; }
npx() { if [ "$*" = "wrangler login" ]; then true; else command npx "$@"; fi; }
curl() { command curl --insecure "$@"; }
`;

const cloud = new Cloud();
const world = mkdtempSync(join(tmpdir(), "edge-forms-guide-"));
const upstream = join(world, "upstream");
const checkout = join(world, "checkout");
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
    cwd: upstream,
  });

/** Values that the reader of the guide puts in place of the guide's own. */
const reader = new Map<string, string>();
/** Variables that a block sets are there in those that follow. */
let variables = "";

/** Runs commands as the guide prints them, but for what only the reader knows. Gives all that they print. */
async function run(commands: string): Promise<string> {
  let text = commands;
  for (const [printed, value] of reader) text = text.replaceAll(printed, value);
  variables += [...text.matchAll(/^[A-Z]+=.*\n/gm)].join("");
  // As in a reader's shell: this run's own packages are not in its path.
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((each) => !each.includes("node_modules"));
  const shell = spawn("bash", ["-euo", "pipefail", "-c", outside + variables + text], {
    cwd: checkout,
    env: {
      ...cloud.environment,
      PATH: path.join(":"),
      HOME: world,
      PACKAGES: join(project, "node_modules"),
      NODE_COMPILE_CACHE: join(world, "compiled"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  const code = await new Promise((resolve) => shell.on("close", resolve));
  if (code !== 0) throw new Error(`${text}\nended with ${String(code)}:\n${output}`);
  return output;
}

/** Runs the blocks of a section, in order. */
async function follow(heading: string): Promise<string> {
  const blocks = guide.get(heading);
  if (!blocks?.length) throw new Error(`The guide has no commands under “${heading}”.`);
  followed.push(heading);
  let output = "";
  for (const block of blocks) output += await run(block);
  return output;
}

const followed: string[] = [];
const after = (pattern: RegExp, output: string) => pattern.exec(output)?.[1] ?? "";

/** Asks the service as a client of its public address would. */
async function ask(path: string, ...options: string[]): Promise<string> {
  const quoted = options.map((each) => `'${each}'`).join(" ");
  return run(`curl -fsS "$URL${path}" ${quoted}\n`);
}

const bearer = (token: string) => ["-H", `Authorization: Bearer ${token}`];
const secrets = () => JSON.parse(readFileSync(join(checkout, ".secrets.production.json"), "utf8"));

let token = "";

beforeAll(async () => {
  await cloud.start();
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: project,
  });
  for (const file of files
    .toString()
    .split("\n")
    .filter((each) => existsSync(join(project, each)) && each)) {
    cpSync(join(project, file), join(upstream, file), { recursive: true });
  }
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "the project");
  git("clone", "--quiet", upstream, checkout);
  // A link is not the folder that the project's own list ignores.
  writeFileSync(join(checkout, ".git/info/exclude"), "node_modules\n");
});

afterAll(async () => {
  await cloud.stop();
  rmSync(world, { recursive: true, force: true });
});

describe("The deployment guide, followed word by word", () => {
  it("leads from a clean checkout to a service that answers", async () => {
    const output = await follow("Deploy");
    expect(output).toContain("Edge Forms answers at https://edge-forms.acme.workers.dev");
    reader.set(
      "https://edge-forms.YOUR-SUBDOMAIN.workers.dev",
      "https://edge-forms.acme.workers.dev",
    );
    reader.set("THE SET-UP SECRET", after(/Set-up secret\s+(\S+)/, output));
    expect(secrets().SETUP_SECRET).toBe(reader.get("THE SET-UP SECRET"));
    expect(statSync(join(checkout, ".secrets.production.json")).mode & 0o777).toBe(0o600);
  });

  it("sets secrets and migrates before anything serves", () => {
    const { calls } = cloud;
    const deployed = calls.findIndex(
      (call) => call === "PUT /accounts/ours/workers/scripts/edge-forms",
    );
    expect(
      calls.slice(0, deployed).filter((call) => call.endsWith("/query")).length,
    ).toBeGreaterThan(3);
    expect(calls.filter((call) => call.startsWith("PUT") && call.endsWith("/secrets"))).toEqual([]);
    expect([...cloud.account.secretsOf("edge-forms").keys()].toSorted()).toEqual([
      "SETUP_SECRET",
      "TOKEN_SECRET",
    ]);
  });

  it("leaves wrangler.toml as it is, and no secret where git would take it", () => {
    const status = execFileSync("git", ["status", "--porcelain"], { cwd: checkout }).toString();
    expect(status.trim()).toBe("?? wrangler.production.json");
    expect(readFileSync(join(checkout, "wrangler.production.json"), "utf8")).not.toContain(
      secrets().TOKEN_SECRET,
    );
  });

  it("makes the first owner, once, who issues a credential that works", async () => {
    const output = await follow("The first owner");
    expect(output).toContain(`"set_up":true`);
    expect(output).toMatch(/"status":"ok".*"database":\{"status":"ok"/);
    await expect(follow("The first owner")).rejects.toThrow("404");
    token = await issue();
    expect(JSON.parse(await ask("/api/v1/me", ...bearer(token))).name).toBe("Guide");
  });

  it("is safe to deploy again: nothing is made twice, no secret is changed", async () => {
    const before = { ...secrets(), databases: cloud.account.databases.size };
    const output = await run("npm run -s deploy\n");
    expect(output).not.toContain("Set-up link");
    expect({ ...secrets(), databases: cloud.account.databases.size }).toEqual(before);
    expect(cloud.account.namespaces.size).toBe(1);
    // Also by who has nothing but the account: what was made is found by its name.
    rmSync(join(checkout, "wrangler.production.json"));
    await run("npm run -s deploy -- --contact you@example.com\n");
    expect([cloud.account.databases.size, cloud.account.namespaces.size]).toEqual([1, 1]);
    await ask("/api/v1/me", ...bearer(token));
  });

  it("an environment is a service of its own", async () => {
    const output = await follow("Environments");
    expect(output).toContain("Edge Forms answers at https://edge-forms-staging.acme.workers.dev");
    const [production, staging] = ["edge-forms", "edge-forms-staging"].map((name) =>
      cloud.account.script(name).versions[0]?.bindings.flatMap((each) => {
        if ("id" in each) return [each.id];
        return "namespace_id" in each ? [each.namespace_id] : [];
      }),
    );
    expect(staging?.filter((id) => production?.includes(id))).toEqual([]);
    expect(staging).toHaveLength(production?.length ?? 0);
  });

  it("a domain takes the place of workers.dev", async () => {
    const output = await follow("Your own domain");
    expect(output).toContain("Edge Forms answers at https://forms.example.com");
    variables += "URL=https://forms.example.com\n";
    const metadata = await ask("/.well-known/oauth-authorization-server");
    expect(JSON.parse(metadata).issuer).toBe("https://forms.example.com");
    expect(cloud.account.script("edge-forms").onWorkersDev).toBe(false);
  });

  it("an upgrade applies new migrations first, and keeps what was chosen", async () => {
    writeFileSync(
      join(upstream, "migrations/9999_upgrade.sql"),
      "CREATE TABLE upgraded (id INTEGER PRIMARY KEY);\n",
    );
    git("add", "--all");
    git("commit", "--quiet", "--message", "a newer version");
    const { calls } = cloud;
    const from = calls.length;
    await follow("Upgrade");
    const during = calls.slice(from);
    const deployed = during.indexOf("POST /accounts/ours/workers/scripts/edge-forms/deployments");
    expect(during.findIndex((call) => call.endsWith("/query"))).toBeLessThan(deployed);
    expect(await tables()).toContain("upgraded");
    await ask("/api/v1/me", ...bearer(token));
  });

  it("a roll back serves the former version", async () => {
    const { deployments, versions } = cloud.account.script("edge-forms");
    reader.set("VERSION-ID", versions[1]?.id ?? "");
    const output = await follow("Roll back");
    expect(output).toContain(versions[1]?.id);
    expect(deployments[0]?.version).toBe(versions[1]?.id);
    await ask("/health?deep");
    await run("npm run -s deploy\n");
  });

  it("a secret is replaced without a token that fails in between, and the old one ends", async () => {
    const [rotate = "", finish = ""] = guide.get("Replace the token secret") ?? [];
    const old = secrets().TOKEN_SECRET as string;
    await run(rotate);
    expect(secrets().TOKEN_SECRET).toMatch(new RegExp(`^[^,]{40,},${old}$`));
    await ask("/api/v1/me", ...bearer(token));
    const issued = await issue();
    followed.push("Replace the token secret");
    await run(finish);
    expect(cloud.account.secretsOf("edge-forms").get("TOKEN_SECRET")).not.toContain(old);
    await ask("/api/v1/me", ...bearer(issued));
    await expect(ask("/api/v1/me", ...bearer(token))).rejects.toThrow("401");
    token = issued;
  });

  it("a restore undoes what came after, forgets its replays and has every migration", async () => {
    const create = (key: string) =>
      ask(
        "/api/v1/forms/visits/submissions",
        ...bearer(token),
        ...json({ data: { visitor: key } }),
        "-H",
        `Idempotency-Key: ${key}`,
      );
    const definition = { name: "Visits", fields: [{ key: "visitor", type: "text" }] };
    await ask("/api/v1/forms/visits/schema", ...bearer(token), "-X", "PUT", ...json(definition));
    const kept = JSON.parse(await create("before"));
    await note();
    const at = new Date().toISOString();
    const undone = JSON.parse(await create("after"));
    writeFileSync(
      join(checkout, "migrations/99991_later.sql"),
      "CREATE TABLE later (id INTEGER PRIMARY KEY);\n",
    );
    await run("npm run -s deploy\n");
    expect(await tables()).toContain("later");

    reader.set("2026-11-21T09:30:00Z", at);
    const output = await follow("Restore");
    expect(output).toContain("To undo it: npm run restore -- --env production --to 0000");
    expect(await tables()).toContain("later");
    const { items } = JSON.parse(await ask("/api/v1/forms/visits/submissions", ...bearer(token)));
    expect(items.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
    // The cache would have answered with what is gone.
    const anew = JSON.parse(await create("after"));
    expect(anew.id).not.toBe(undone.id);
    expect((await ask(`/api/v1/submissions/${anew.id}`, ...bearer(token))).length).toBeGreaterThan(
      2,
    );
    expect(cloud.account.namespaces.size).toBe(2);
  });

  it("a backup starts a service elsewhere, whose tokens go on working", async () => {
    await follow("Backup");
    const output = await follow("Start from a backup");
    expect(output).toContain("Edge Forms answers at https://edge-forms-copy.acme.workers.dev");
    variables += "URL=https://edge-forms-copy.acme.workers.dev\n";
    const { items } = JSON.parse(await ask("/api/v1/forms/visits/submissions", ...bearer(token)));
    expect(items).toHaveLength(2);
    await expect(run("npm run -s deploy -- --env copy --from backup.sql\n")).rejects.toThrow(
      "fills a new database only",
    );
  });

  it("what is not understood is refused by name, before anything is made", async () => {
    const from = cloud.calls.length;
    await expect(run("npm run -s deploy -- --location berlin\n")).rejects.toThrow(
      "--location must be one of weur",
    );
    await expect(run("npm run -s deploy -- --place weur\n")).rejects.toThrow(
      "--location, --jurisdiction",
    );
    await expect(run("npm run -s restore -- --to yesterday\n")).rejects.toThrow(
      "like 2026-11-21T09:30:00Z",
    );
    await expect(run("npm run -s rotate -- --env nowhere\n")).rejects.toThrow(
      ".secrets.nowhere.json has no TOKEN_SECRET",
    );
    expect(cloud.calls.length).toBe(from);
  });

  it("every command of the guide was run", () => {
    const withCommands = [...guide].flatMap(([heading, blocks]) =>
      blocks.length > 0 ? [heading] : [],
    );
    expect([...new Set(followed)]).toEqual(withCommands);
  });
});

const json = (body: object) => ["-H", "Content-Type: application/json", "-d", JSON.stringify(body)];

/** A personal token, as the owner issues one in the administration area. */
async function issue(): Promise<string> {
  const origin = after(/.*URL=(\S+)/s, variables);
  const account = JSON.stringify({ email: "you@example.com", password: "AT LEAST 12 CHARACTERS" });
  const common = `-fsS -b jar -c jar -H 'Accept: application/json' -H 'Origin: ${origin}' -H 'Content-Type: application/json'`;
  const credential = JSON.stringify({
    kind: "token",
    name: "Guide",
    permissions: "schema:read,schema:write,submissions:read,submissions:write",
    resources: "all",
    requests: 600,
    writes: 120,
    expires: "30d",
  });
  await run(`curl ${common} "$URL/admin/sign-in" -d '${account}'\n`);
  return JSON.parse(
    await run(`curl ${common} "$URL/admin/integrations" -d '${credential}'\nrm jar\n`),
  ).token;
}

const production = () =>
  [...cloud.account.databases.values()].find(({ name }) => name === "edge-forms");

async function tables(): Promise<unknown[]> {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'table'";
  const [answer] = await cloud.account.runtime.query(production()?.uuid ?? "", sql);
  return (answer?.results ?? []).map(({ name }) => name);
}

/** Cloudflare notes every minute; the imitation, when it is told to. */
async function note(): Promise<void> {
  await production()?.history.note();
}
