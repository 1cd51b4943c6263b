import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
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
import { npmFunction, project } from "./commands.ts";

// Each deployment starts wrangler, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 900_000 });

/** The `sh` blocks of the guide by section heading. */
const guide = new Map(
  readFileSync(join(project, "docs/deployment.md"), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((section) => [
      section.slice(0, section.indexOf("\n")),
      [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = ""]) => commands),
    ]),
);

const skipDrain = join(project, "test/dev/deployment/stand-in/skip-drain.js");

/** Replaces commands that a test cannot run: links packages instead of installing them, and skips `wrangler login`. */
const shellFunctions = `
${npmFunction(`--import ${skipDrain}`, '[ -e node_modules ] || ln -s "$PACKAGES" node_modules')}
npx() { if [ "$*" = "wrangler login" ]; then true; else command npx "$@"; fi; }
curl() { command curl --insecure "$@"; }
`;

const cloud = new Cloud();
const temporaryFolder = mkdtempSync(join(tmpdir(), "edge-forms-guide-"));
const upstream = join(temporaryFolder, "upstream");
const checkout = join(temporaryFolder, "checkout");
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
    cwd: upstream,
  });

/** Placeholders of the guide, with the values that a reader would insert. */
const replacements = new Map<string, string>();
/** The variables that earlier blocks set. Later blocks may use them. */
let variables = "";

/** Runs commands of the guide with its placeholders replaced. Returns their output. */
async function run(commands: string): Promise<string> {
  let text = commands;
  for (const [placeholder, value] of replacements) text = text.replaceAll(placeholder, value);
  variables += [...text.matchAll(/^[A-Z]+=.*\n/gm)].join("");
  // A reader's PATH does not contain this project's packages.
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((folder) => !folder.includes("node_modules"));
  const shell = spawn("bash", ["-euo", "pipefail", "-c", shellFunctions + variables + text], {
    cwd: checkout,
    env: {
      ...cloud.environment,
      PATH: path.join(":"),
      HOME: temporaryFolder,
      PACKAGES: join(project, "node_modules"),
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
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

/** Runs the blocks of a section, in order, after commands that set variables. */
async function follow(heading: string, preparation = ""): Promise<string> {
  const blocks = guide.get(heading);
  if (!blocks?.length) throw new Error(`The guide has no commands under “${heading}”.`);
  followed.push(heading);
  let output = "";
  for (const block of blocks) output += await run(preparation + block);
  return output;
}

const followed: string[] = [];
const invitationIn = (output: string) => firstGroup(/Invitation\s+(https:\S+)/, output);
const firstGroup = (pattern: RegExp, output: string) => pattern.exec(output)?.[1] ?? "";

/** Sends a request to the service's public address. */
async function get(path: string, ...options: string[]): Promise<string> {
  const quotedOptions = options.map((option) => `'${option}'`).join(" ");
  return run(`curl -fsS "$URL${path}" ${quotedOptions}\n`);
}

const bearer = (token: string) => ["-H", `Authorization: Bearer ${token}`];
const secrets = () => JSON.parse(readFileSync(join(checkout, ".secrets.production.json"), "utf8"));

let token = "";
/** The link that the deployment of `staging` prints. */
let stagingInvitation = "";

beforeAll(async () => {
  await cloud.start();
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: project,
  });
  for (const file of files
    .toString()
    .split("\n")
    .filter((path) => existsSync(join(project, path)) && path)) {
    cpSync(join(project, file), join(upstream, file), { recursive: true });
  }
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "the project");
  git("clone", "--quiet", upstream, checkout);
  // The project's .gitignore covers only a folder named node_modules, not a link.
  writeFileSync(join(checkout, ".git/info/exclude"), "node_modules\n");
});

afterAll(async () => {
  await cloud.stop();
  rmSync(temporaryFolder, { recursive: true, force: true });
});

describe("The deployment guide", () => {
  it("deploys a running service from a clean checkout", async () => {
    const output = await follow("Deploy");
    expect(output).toContain("Edge Forms answers at https://edge-forms.acme.workers.dev");
    replacements.set(
      "https://edge-forms.YOUR-SUBDOMAIN.workers.dev",
      "https://edge-forms.acme.workers.dev",
    );
    replacements.set("THE SETUP SECRET", firstGroup(/Setup secret\s+(\S+)/, output));
    expect(secrets().SETUP_SECRET).toBe(replacements.get("THE SETUP SECRET"));
    expect(output).toContain("Next: open the setup link, and enter the setup secret");
    // wrangler advises to edit its configuration file, which the command writes itself.
    expect(output).not.toMatch(/snippet|configuration file/i);
    expect([...cloud.account.scripts.keys()]).toEqual(["edge-forms"]);
    expect(statSync(join(checkout, ".secrets.production.json")).mode & 0o777).toBe(0o600);
  });

  it("sets secrets and applies migrations before the first version serves", () => {
    const { calls } = cloud;
    const deployIndex = calls.findIndex(
      (call) => call === "PUT /accounts/ours/workers/scripts/edge-forms",
    );
    expect(
      calls.slice(0, deployIndex).filter((call) => call.endsWith("/query")).length,
    ).toBeGreaterThan(3);
    expect(calls.filter((call) => call.startsWith("PUT") && call.endsWith("/secrets"))).toEqual([]);
    expect([...cloud.account.secretsOf("edge-forms").keys()].toSorted()).toEqual([
      "SETUP_SECRET",
      "TOKEN_SECRET",
    ]);
  });

  it("leaves wrangler.toml unchanged and no secret in files that git tracks", () => {
    const status = execFileSync("git", ["status", "--porcelain"], { cwd: checkout }).toString();
    expect(status.trim()).toBe("?? wrangler.production.json");
    expect(readFileSync(join(checkout, "wrangler.production.json"), "utf8")).not.toContain(
      secrets().TOKEN_SECRET,
    );
    keepBundle();
  });

  it("creates the first owner once, who issues a working credential", async () => {
    const output = await follow("The first owner");
    expect(output).toContain(`"set_up":true`);
    expect(output).toMatch(/"status":"ok".*"database":\{"status":"ok"/);
    await expect(follow("The first owner")).rejects.toThrow("404");
    token = await issueToken();
    expect(JSON.parse(await get("/api/v1/me", ...bearer(token))).name).toBe("Guide");
  });

  it("creates nothing twice and changes no secret on a second deployment", async () => {
    const stateBefore = { ...secrets(), databases: cloud.account.databases.size };
    // Without the local configuration, the deployment finds the resources by name.
    rmSync(join(checkout, "wrangler.production.json"));
    const output = await run("npm run -s deploy -- --owner late@example.com\n");
    expect(output).not.toMatch(/Setup link|Invitation/);
    // wrangler advises to edit the file that our command writes.
    expect(output).not.toContain("preview_urls");
    expect({ ...secrets(), databases: cloud.account.databases.size }).toEqual(stateBefore);
    const { namespaces, buckets } = cloud.account;
    expect([namespaces.size, buckets.size]).toEqual([1, 1]);
    await get("/api/v1/me", ...bearer(token));
  });

  it("deploys an environment as a separate service", async () => {
    const output = await follow("Environments", "export OWNER_EMAIL=Former@example.com\n");
    stagingInvitation = invitationIn(output);
    expect(output).toContain("Edge Forms answers at https://edge-forms-staging.acme.workers.dev");
    const [production, staging] = ["edge-forms", "edge-forms-staging"].map((name) =>
      cloud.account.script(name).versions[0]?.bindings.flatMap((binding) => {
        if ("id" in binding) return [binding.id];
        if ("bucket_name" in binding) return [binding.bucket_name];
        return "namespace_id" in binding ? [binding.namespace_id] : [];
      }),
    );
    expect(staging?.filter((id) => production?.includes(id))).toEqual([]);
    expect(staging).toHaveLength(production?.length ?? 0);
  });

  it("invites the first owner by a link that works once, for one address, and replaces the former one", async () => {
    const deploy = "npm run -s deploy -- --env staging --owner Boss@example.com\n";
    const link = invitationIn(await run(deploy));
    const json = "-H 'Accept: application/json' -H 'Content-Type: application/json'";
    const statusOf = (url: string, body = "") =>
      run(`curl -s -o /dev/null -w '%{http_code}' ${json} ${body} '${url}'\n`);
    expect(await statusOf(stagingInvitation)).toBe("404");
    expect(JSON.parse(await run(`curl -fsS ${json} '${link}'\n`))).toEqual({
      email: "boss@example.com",
      role: "owner",
    });
    const password = `-d '{"password":"correct horse battery"}'`;
    expect(await statusOf(link, password)).toBe("201");
    expect(await statusOf(link, password)).toBe("404");
    const signIn = `-d '{"email":"boss@example.com","password":"correct horse battery"}'`;
    expect(await statusOf(`${new URL(link).origin}/admin/sign-in`, signIn)).toBe("200");
  });

  it("replaces workers.dev with a custom domain", async () => {
    const output = await follow("Your own domain");
    expect(output).toContain("Edge Forms answers at https://forms.example.com");
    variables += "URL=https://forms.example.com\n";
    const metadata = await get("/.well-known/oauth-authorization-server");
    expect(JSON.parse(metadata).issuer).toBe("https://forms.example.com");
    expect(cloud.account.script("edge-forms").onWorkersDev).toBe(false);
  });

  it("applies new migrations first on an upgrade, and keeps the settings", async () => {
    writeFileSync(
      join(upstream, "migrations/9999_upgrade.sql"),
      "CREATE TABLE upgraded (id INTEGER PRIMARY KEY);\n",
    );
    git("add", "--all");
    git("commit", "--quiet", "--message", "a newer version");
    const { calls } = cloud;
    const callsBefore = calls.length;
    await follow("Upgrade");
    const upgradeCalls = calls.slice(callsBefore);
    const deployIndex = upgradeCalls.indexOf(
      "POST /accounts/ours/workers/scripts/edge-forms/deployments",
    );
    expect(upgradeCalls.findIndex((call) => call.endsWith("/query"))).toBeLessThan(deployIndex);
    expect(await tables()).toContain("upgraded");
    await get("/api/v1/me", ...bearer(token));
  });

  it("serves the previous version after a rollback", async () => {
    const { deployments, versions } = cloud.account.script("edge-forms");
    replacements.set("VERSION-ID", versions[1]?.id ?? "");
    const output = await follow("Roll back");
    expect(output).toContain(versions[1]?.id);
    expect(deployments[0]?.version).toBe(versions[1]?.id);
    await get("/health?deep");
    await run("npm run -s deploy\n");
  });

  it("replaces the token secret without failing tokens, and then revokes the old secret", async () => {
    const [rotate = "", finish = ""] = guide.get("Replace the token secret") ?? [];
    const oldSecret = secrets().TOKEN_SECRET as string;
    await run(rotate);
    expect(secrets().TOKEN_SECRET).toMatch(new RegExp(`^[^,]{40,},${oldSecret}$`));
    await get("/api/v1/me", ...bearer(token));
    const newToken = await issueToken();
    followed.push("Replace the token secret");
    await run(finish);
    expect(cloud.account.secretsOf("edge-forms").get("TOKEN_SECRET")).not.toContain(oldSecret);
    await get("/api/v1/me", ...bearer(newToken));
    await expect(get("/api/v1/me", ...bearer(token))).rejects.toThrow("401");
    token = newToken;
  });

  it("undoes later changes and their replays on a restore, and keeps every migration", async () => {
    const create = (key: string) =>
      get(
        "/api/v1/forms/visits/submissions",
        ...bearer(token),
        ...json({ data: { visitor: key } }),
        "-H",
        `Idempotency-Key: ${key}`,
      );
    const definition = { name: "Visits", fields: [{ key: "visitor", type: "text" }] };
    await get("/api/v1/forms/visits/schema", ...bearer(token), "-X", "PUT", ...json(definition));
    const keptItem = JSON.parse(await create("before"));
    await note();
    const restoreTime = new Date().toISOString();
    const undoneItem = JSON.parse(await create("after"));
    const lostToken = await issueToken();
    await get("/api/v1/me", ...bearer(lostToken));
    writeFileSync(
      join(checkout, "migrations/99991_later.sql"),
      "CREATE TABLE later (id INTEGER PRIMARY KEY);\n",
    );
    await run("npm run -s deploy\n");
    expect(await tables()).toContain("later");

    await query(`INSERT INTO erased_item VALUES ('sub_ERASED', ${Date.now()}), ('sub_EARLIER', 5)`);
    replacements.set("2026-11-21T09:30:00Z", restoreTime);
    const output = await follow("Restore");
    expect(output).not.toContain("does not return 503");
    expect(output).toContain("Erasures since then that the service repeats: 1.");
    expect(await query("SELECT subject FROM owed_erasure")).toEqual([{ subject: "sub_ERASED" }]);
    expect(output).toContain("To undo, run: npm run restore -- --env production --to 0000");
    expect(await tables()).toContain("later");
    const { items } = JSON.parse(await get("/api/v1/forms/visits/submissions", ...bearer(token)));
    expect(items.map(({ id }: { id: string }) => id)).toEqual([keptItem.id]);
    // An old replay would return the deleted item.
    const newItem = JSON.parse(await create("after"));
    expect(newItem.id).not.toBe(undoneItem.id);
    expect(
      (await get(`/api/v1/submissions/${newItem.id}`, ...bearer(token))).length,
    ).toBeGreaterThan(2);
    expect(cloud.account.namespaces.size).toBe(cloud.account.databases.size);
    await expect(get("/api/v1/me", ...bearer(lostToken))).rejects.toThrow("401");
    expect(newItem.version).toBe(2 ** 20);
  });

  it("pauses the service before a restore, and then serves a new timeline", () => {
    const deployed = cloud.account
      .script("edge-forms")
      .versions.slice(0, 2)
      .map(({ bindings }) =>
        Object.fromEntries(
          bindings.flatMap((binding) =>
            binding.type === "plain_text" ? [[binding.name, binding.text]] : [],
          ),
        ),
      );
    expect(deployed[1]).toMatchObject({ PAUSED: "true" });
    expect(deployed[1]).not.toHaveProperty("RESTORES");
    expect(deployed[0]).toMatchObject({
      RESTORE_EPOCH: expect.stringMatching(/^[\w-]{8}$/),
      RESTORES: "1",
    });
    expect(deployed[0]).not.toHaveProperty("PAUSED");
  });

  it("starts another service from a backup, with working tokens", async () => {
    // `backup.test.ts` runs the other commands of this section.
    const [exportAll = ""] = guide.get("Backup") ?? [];
    followed.push("Backup");
    const backup = await run(exportAll);
    expect(backup).toMatch(/backup\.DB\.sql: \d{2,} rows of \d{2,} tables, restored and counted/);
    expect([...cloud.account.databases.values()].map(({ name }) => name)).not.toContain(
      "edge-forms-backup-check",
    );
    const output = await follow("Start from a backup");
    expect(output).toContain("Edge Forms answers at https://edge-forms-copy.acme.workers.dev");
    variables += "URL=https://edge-forms-copy.acme.workers.dev\n";
    const { items } = JSON.parse(await get("/api/v1/forms/visits/submissions", ...bearer(token)));
    expect(items).toHaveLength(2);
    await expect(run("npm run -s deploy -- --env copy --from backup.DB.sql\n")).rejects.toThrow(
      "fills a new database only",
    );
  });

  it("adds a data database, which new forms can choose, and migrates every database from then on", async () => {
    const [plan = "", add = "", list = ""] = (guide.get("Several databases") ?? []).flatMap(
      (block) => block.split(/(?<=\n)/),
    );
    followed.push("Several databases");
    variables += "URL=https://forms.example.com\n";
    const [before, known] = [cloud.account.databases.size, cloud.calls.length];
    expect(await run(plan)).toContain("Nothing was done.");
    expect(cloud.account.databases.size).toBe(before);
    expect(cloud.calls.slice(known).filter((call) => call.startsWith("PUT"))).toEqual([]);
    // A bucket that is still missing follows the home database, not the new one.
    const file = join(checkout, "wrangler.production.json");
    const { r2_buckets: _, ...former } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(former));
    cloud.account.buckets.delete("edge-forms-files");
    expect(await run(add)).toContain("DATA_01 is bound");
    expect([...cloud.account.buckets]).toContainEqual(["edge-forms-files", undefined]);
    expect(cloud.account.databases.size).toBe(before + 1);
    expect(await run(list)).toMatch(/DATA_01 +edge-forms-data-01-eu +eu +[\d.]+ MB +0\.0 % +0/);
    const home = JSON.parse(readFileSync(file, "utf8")).d1_databases[0].database_id as string;
    await cloud.account.runtime.query(home, "UPDATE data_database SET used_from = 0");
    const put = ["-X", "PUT", ...bearer(token), "-H", "Content-Type: application/json"];
    const form = '{"location":"eu","fields":[{"key":"title","type":"text"}]}';
    const created = await get("/api/v1/forms/european/schema", ...put, "-d", form);
    expect(JSON.parse(created).location).toBe("eu");
    expect(await run(list)).toMatch(/DATA_01 .* 1\n/);
    expect(await get("/api/v1/forms/european/schema", ...bearer(token))).toContain("european");
  });

  it("builds an installation with several databases again from a backup, and no lost version matches", async () => {
    const keyHeader = (key: string) => ["-H", `Idempotency-Key: ${key}`];
    const submit = async (form: string, data: object, key: string) =>
      JSON.parse(
        await get(
          `/api/v1/forms/${form}/submissions`,
          ...bearer(token),
          ...json({ data }),
          ...keyHeader(key),
        ),
      );
    const list = async (form: string) =>
      JSON.parse(await get(`/api/v1/forms/${form}/submissions`, ...bearer(token))).items.map(
        ({ id, version, data }: Record<string, unknown>) => ({ id, version, data }),
      );
    const change = async (id: string, title: string, version: number) =>
      JSON.parse(
        await get(
          `/api/v1/submissions/${id}`,
          ...bearer(token),
          "-X",
          "PATCH",
          "-H",
          `If-Match: "${version}"`,
          ...json({ data: { title } }),
        ),
      );
    const item = await submit("european", { title: "kept" }, "rebuilt-1");
    const stored = { visits: await list("visits"), european: await list("european") };
    expect([stored.visits.length, stored.european.length]).toEqual([2, 1]);
    await run("npm run -s backup -- --output lost.sql\n");
    const lost = await change(item.id, "lost", item.version);
    await run(`cp .secrets.production.json .secrets.rebuilt.json
      npm run -s deploy -- --env rebuilt --location weur --from lost.DB.sql\n`);
    variables += "URL=https://edge-forms-rebuilt.acme.workers.dev\n";
    expect({ visits: await list("visits"), european: await list("european") }).toEqual(stored);
    await expect(change(item.id, "late", lost.version)).rejects.toThrow("412");
    const changed = await change(item.id, "changed", item.version);
    expect(changed.version).toBe(17 * 2 ** 20);
    await expect(change(item.id, "late", lost.version)).rejects.toThrow("412");
    // The copy knows the key of a request that the backup has.
    expect((await submit("european", { title: "kept" }, "rebuilt-1")).id).toBe(item.id);
    expect((await submit("visits", { visitor: "new" }, "rebuilt-2")).version).toBe(17 * 2 ** 20);
    const databases = [...cloud.account.databases.values()];
    const european = databases.find(({ name }) => name === "edge-forms-rebuilt-data-01-eu");
    expect(european?.jurisdiction).toBe("eu");
    const sql = "SELECT data FROM item";
    expect(await cloud.account.runtime.query(european?.uuid ?? "", sql)).toMatchObject([
      { results: [{ data: expect.stringContaining("changed") }] },
    ]);
    variables += "URL=https://forms.example.com\n";
  });

  it("has run every command of the guide", () => {
    const headings = [...guide].flatMap(([heading, blocks]) =>
      blocks.length > 0 ? [heading] : [],
    );
    expect([...new Set(followed)]).toEqual(headings);
  });
});

/** Lets later deployments upload the bundle of the first one. Building it each time would take a third of the CPU time. */
function keepBundle(): void {
  const bundle = cloud.account.script("edge-forms").versions[0]?.modules.get("index.js") ?? "";
  mkdirSync(join(checkout, "built"));
  writeFileSync(join(checkout, "built/index.js"), bundle.replace(/^\/\/# source.*$/m, ""));
  const file = join(checkout, "wrangler.toml");
  const toml = readFileSync(file, "utf8")
    .replace('main = "src/index.ts"', 'main = "built/index.js"\nno_bundle = true')
    .replace(/^(minify|upload_source_maps) = .*\n|^\[build\]\n.*\n/gm, "");
  writeFileSync(file, toml);
}

const json = (body: object) => ["-H", "Content-Type: application/json", "-d", JSON.stringify(body)];

/** Issues a personal token, like the owner in the administration area. */
async function issueToken(): Promise<string> {
  const origin = firstGroup(/.*URL=(\S+)/s, variables);
  const account = JSON.stringify({ email: "you@example.com", password: "AT LEAST 12 CHARACTERS" });
  const curlOptions = `-fsS -b jar -c jar -H 'Accept: application/json' -H 'Origin: ${origin}' -H 'Content-Type: application/json'`;
  const credential = JSON.stringify({
    kind: "token",
    name: "Guide",
    permissions: "schema:read,schema:write,submissions:read,submissions:write",
    resources: "all",
    requests: 600,
    writes: 120,
    expires: "30d",
  });
  await run(`curl ${curlOptions} "$URL/admin/sign-in" -d '${account}'\n`);
  return JSON.parse(
    await run(`curl ${curlOptions} "$URL/admin/integrations" -d '${credential}'\nrm jar\n`),
  ).token;
}

const production = () =>
  [...cloud.account.databases.values()].find(({ name }) => name === "edge-forms");

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const [result] = await cloud.account.runtime.query(production()?.uuid ?? "", sql);
  return result?.results ?? [];
}

const tables = async (): Promise<unknown[]> =>
  (await query("SELECT name FROM sqlite_master WHERE type = 'table'")).map(({ name }) => name);

/** Records the current state of the database. Cloudflare does so every minute, the imitation only on request. */
async function note(): Promise<void> {
  await production()?.history.note();
}
