import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

/**
 * Stands in for wrangler where a test is about our commands: it calls the same endpoints, starts ten times as fast, and
 * deploys an empty Worker. `deployment.test.ts` runs wrangler itself.
 */

const string = { type: "string" };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { config: string, file: string, output: string, var: string, "secrets-file": string },
});
const config = JSON.parse(readFileSync(values.config, "utf8"));
const accountUrl = `${process.env.CLOUDFLARE_API_BASE_URL}/accounts/${config.account_id}`;
const name = process.env.WRANGLER_CI_OVERRIDE_NAME || config.name;

async function call(method, path, body) {
  const isForm = body instanceof FormData;
  const headers = isForm ? {} : { "Content-Type": "application/json" };
  const init = { method, headers, body: isForm ? body : JSON.stringify(body) };
  const response = await fetch(`${accountUrl}/${path}`, init);
  const { success, result, errors } = await response.json();
  if (!success) throw new Error(errors[0].message);
  return result;
}

/** A database by its binding or its name. */
async function databaseOf(wanted) {
  const bound = config.d1_databases.find(({ binding }) => binding === wanted);
  const all = await call("GET", "d1/database?page=1&per_page=100");
  return `d1/database/${bound?.database_id ?? all.find((each) => each.name === wanted).uuid}`;
}

const readSecrets = (file) => (file ? JSON.parse(readFileSync(file, "utf8")) : {});
const secretOf = ([secret, text]) => ({ name: secret, type: "secret_text", text });

function bindingsOf(secrets) {
  const [variable, value] = (values.var ?? "").split(":");
  const vars = { ...config.vars, ...(variable ? { [variable]: value } : {}) };
  return [
    ...Object.entries(vars).map(([key, text]) => ({ name: key, type: "plain_text", text })),
    ...config.d1_databases.map((each) => ({
      name: each.binding,
      type: "d1",
      id: each.database_id,
    })),
    ...config.kv_namespaces.map((each) => ({
      name: each.binding,
      type: "kv_namespace",
      namespace_id: each.id,
    })),
    ...config.r2_buckets.map(({ binding, ...bucket }) => ({
      name: binding,
      type: "r2_bucket",
      ...bucket,
    })),
    ...config.secrets.required
      .filter((secret) => !(secret in secrets))
      .map((secret) => ({ name: secret, type: "inherit" })),
    ...Object.entries(secrets).map(secretOf),
  ];
}

async function deploy() {
  process.stdout.write("Your Worker has access to the following bindings\n");
  const form = new FormData();
  const metadata = {
    main_module: "index.js",
    compatibility_date: config.compatibility_date,
    bindings: bindingsOf(readSecrets(values["secrets-file"])),
  };
  form.set("metadata", JSON.stringify(metadata));
  form.set("index.js", new Blob(["export default {}"]), "index.js");
  await call("PUT", `workers/scripts/${name}`, form);
  await call("POST", `workers/scripts/${name}/subdomain`, { enabled: config.workers_dev });
  const origins = (config.routes ?? []).map(({ pattern }) => ({ hostname: pattern }));
  if (origins.length > 0) await call("PUT", `workers/scripts/${name}/domains/records`, { origins });
  if (values.var === "PAUSED:true") writeFileSync("paused", "");
  else rmSync("paused", { force: true });
  const targets = [origins[0]?.hostname ?? `https://${name}.acme.workers.dev`];
  const file = process.env.WRANGLER_OUTPUT_FILE_PATH;
  writeFileSync(file, `${JSON.stringify({ type: "deploy", targets })}\n`);
}

const commands = {
  deploy,
  async "d1 export"(database) {
    const { result } = await call("POST", `${await databaseOf(database)}/export`, {});
    const dump = await fetch(result.signed_url);
    writeFileSync(values.output, await dump.text());
  },
  async "d1 execute"(database) {
    const path = `${await databaseOf(database)}/import`;
    const text = readFileSync(values.file);
    const etag = createHash("md5").update(text).digest("hex");
    const { upload_url: url } = await call("POST", path, { action: "init", etag });
    await fetch(url, { method: "PUT", body: text });
    await call("POST", path, { action: "ingest", etag });
  },
  async "secret bulk"(file) {
    const secrets = Object.entries(readSecrets(file)).map((entry) => [entry[0], secretOf(entry)]);
    await call("PATCH", `workers/scripts/${name}/secrets-bulk`, {
      secrets: Object.fromEntries(secrets),
    });
  },
};

const line = positionals.join(" ");
const command = Object.keys(commands).find((each) => line.startsWith(each));
try {
  await commands[command](line.slice(command.length + 1));
} catch (error) {
  process.stderr.write(`${line}: ${error.message}\n`);
  process.exitCode = 1;
}
