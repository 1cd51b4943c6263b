import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commandOfWorkflow } from "./commands.ts";
import { Operator } from "./operator.ts";

// Each command takes a second, and many seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const operator = new Operator();
const { account, calls } = operator.cloud;

/** The variables of the newest version of a Worker. */
const vars = (name: string) =>
  Object.fromEntries(
    (account.script(name).versions[0]?.bindings ?? []).flatMap((binding) =>
      binding.type === "plain_text" ? [[binding.name, binding.text]] : [],
    ),
  );

const resourceCounts = () =>
  [account.databases, account.namespaces, account.buckets].map((map) => map.size);

/** Sets variables in wrangler.toml. Returns a function that restores the file. */
function setVariables(values: Record<string, string>): () => void {
  const file = join(operator.checkout, "wrangler.toml");
  const toml = readFileSync(file, "utf8");
  const changed = Object.entries(values).reduce(
    (text, [name, value]) => text.replace(`${name} = ""`, `${name} = "${value}"`),
    toml,
  );
  writeFileSync(file, changed);
  return () => writeFileSync(file, toml);
}

beforeAll(() => operator.start());
afterAll(() => operator.stop());

describe("The first deployment", () => {
  it("rejects unknown options and values by name before any API call", async () => {
    const run = (line: string) => operator.run(`npm run -s ${line}`);
    await expect(run("deploy -- --location berlin")).rejects.toThrow(
      "--location must be one of weur",
    );
    await expect(run("deploy -- --place weur")).rejects.toThrow(
      "Unknown option '--place'. See --help.",
    );
    await expect(run("restore -- --to yesterday")).rejects.toThrow("like 2026-11-21T09:30:00Z");
    await expect(run("rotate -- --env nowhere")).rejects.toThrow(
      ".secrets.nowhere.json has no TOKEN_SECRET",
    );
    expect(calls).toEqual([]);
  });

  it("creates nothing on the Free plan, and names the alternatives", async () => {
    account.plan = "free";
    await expect(operator.run("npm run deploy -- --location weur")).rejects.toThrow(
      "Cloudflare Access",
    );
    expect([...resourceCounts(), account.scripts.size]).toEqual([0, 0, 0, 0]);
    expect(operator.has("wrangler.production.json")).toBe(false);
  });

  it("refuses the Free plan for the empty Worker of the deploy button, and leaves that Worker alone", async () => {
    account.makeScript("acme-forms");
    const build = { CI: "true", WRANGLER_CI_OVERRIDE_NAME: "acme-forms" };
    const deploy = () => operator.run("npm run deploy -- --location weur", build);
    await expect(deploy()).rejects.toThrow("Cloudflare Access");
    expect(account.script("acme-forms").versions).toEqual([]);
    account.plan = "paid";
    const output = await deploy();
    expect(output).toContain("Edge Forms answers at https://acme-forms.acme.workers.dev");
    // The probe was another Worker, which is deleted.
    expect(account.script("acme-forms").versions).toHaveLength(1);
    expect([...account.scripts.keys()]).toEqual(["acme-forms"]);
    expect(calls).toContain("DELETE /accounts/ours/workers/scripts/acme-forms-plan-check");
  });

  it("does not check the plan again once the database has tables", async () => {
    const before = calls.length;
    operator.changeMachine();
    const build = { CI: "true", WRANGLER_CI_OVERRIDE_NAME: "acme-forms" };
    await operator.run("npm run deploy", build);
    expect(calls.slice(before).filter((call) => call.includes("plan-check"))).toEqual([]);
    for (const map of [account.scripts, account.databases, account.namespaces, account.buckets])
      map.clear();
    operator.changeMachine();
  });

  it.each([
    ["ACCESS_AUDIENCE is empty", { ACCESS_TEAM: "https://acme.cloudflareaccess.com" }],
    ["ACCESS_TEAM is empty", { ACCESS_AUDIENCE: "abc" }],
    ["ACCESS_TEAM must be a URL", { ACCESS_TEAM: "acme", ACCESS_AUDIENCE: "abc" }],
  ])(
    "creates nothing on any plan while the settings of Cloudflare Access are incomplete: %s",
    async (reason, values) => {
      for (const plan of ["free", "paid"] as const) {
        account.plan = plan;
        const restore = setVariables(values);
        await expect(operator.run("npm run deploy -- --location weur")).rejects.toThrow(reason);
        restore();
        expect([...resourceCounts(), account.scripts.size]).toEqual([0, 0, 0, 0]);
        expect(operator.has("wrangler.production.json")).toBe(false);
      }
    },
  );

  it("says how to sign in if neither wrangler nor a variable has credentials", async () => {
    const run = operator.run("npm run deploy -- --location weur", { CLOUDFLARE_API_TOKEN: "" });
    const message = "You are not signed in. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.";
    expect(await run.catch((error: Error) => error.message.trim())).toBe(message);
  });

  it("succeeds on the Free plan when Cloudflare Access is set as the guide says", async () => {
    account.plan = "free";
    await expect(operator.run("npm run deploy -- --location weur")).rejects.toThrow(
      "set ACCESS_TEAM and ACCESS_AUDIENCE under [vars] in wrangler.toml",
    );
    const access = { ACCESS_TEAM: "https://acme.cloudflareaccess.com", ACCESS_AUDIENCE: "abc" };
    const restore = setVariables(access);
    const output = await operator.run("npm run deploy -- --location weur");
    expect(vars("edge-forms")).toMatchObject(access);
    expect(output).toContain("the email address that Cloudflare Access signs in");
    expect(output).not.toContain("a password");
    expect(output).not.toContain("following bindings");
    restore();
    account.plan = "paid";
  });

  it("warns that a location does not move the database, and rejects another jurisdiction", async () => {
    const output = await operator.run("npm run deploy -- --location enam");
    expect(output).toContain(
      "The database edge-forms exists already and keeps its location. --location enam does not move it.",
    );
    await expect(operator.run("npm run deploy -- --jurisdiction eu")).rejects.toThrow(
      "The database edge-forms exists already, without a jurisdiction. --jurisdiction eu cannot move it.",
    );
  });

  it("uses variables of wrangler.toml that are still empty in the settings file", async () => {
    const settings = operator.settings();
    operator.save({ ...settings, vars: { ...settings.vars, ORIGIN: "" } });
    const file = join(operator.checkout, "wrangler.toml");
    const toml = readFileSync(file, "utf8");
    writeFileSync(file, toml.replace('ORIGIN = ""', 'ORIGIN = "https://forms.acme.test"'));
    await operator.run("npm run deploy");
    expect(vars("edge-forms")).toMatchObject({
      ORIGIN: "https://forms.acme.test",
      // Not lost, although wrangler.toml is empty again.
      ACCESS_AUDIENCE: "abc",
    });
    writeFileSync(file, toml);
  });
});

describe("A runner", () => {
  it("deploys with the secrets of its variables, prints none and leaves no file of them", async () => {
    const setupSecret = "the set-up secret of the runner";
    const variables = {
      CI: "true",
      ENVIRONMENT: "runner",
      LOCATION: "weur",
      JURISDICTION: "eu",
      OWNER_EMAIL: "boss@example.com",
      SETUP_SECRET: setupSecret,
    };
    const output = await operator.run(commandOfWorkflow("deploy.yml"), variables);
    expect(output).toContain("To invite boss@example.com, run this command on your machine");
    expect(output).not.toContain("Invitation");
    expect(output).toContain("Edge Forms answers at https://edge-forms-runner.acme.workers.dev");
    const secrets = account.secretsOf("edge-forms-runner");
    expect(secrets.get("SETUP_SECRET")).toBe(setupSecret);
    for (const secret of secrets.values()) expect(output).not.toContain(secret);
    expect(operator.has(".secrets.runner.json")).toBe(false);
    rmSync(join(operator.checkout, "wrangler.runner.json"));
    await operator.run("npm run deploy -- --env runner", { CI: "true" });
    expect(account.secretsOf("edge-forms-runner")).toEqual(secrets);
  });

  it("keeps files in the jurisdiction of the database, also when the bucket is created again", async () => {
    const bucket = "edge-forms-runner-files";
    expect(account.buckets.get(bucket)).toBe("eu");
    account.buckets.delete(bucket);
    rmSync(join(operator.checkout, "wrangler.runner.json"));
    await operator.run("npm run deploy -- --env runner", { CI: "true" });
    expect(account.buckets.get(bucket)).toBe("eu");
  });
});
