import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

/**
 * Stands in for wrangler where a test runs commands that call it many times: it calls the same endpoints, and starts ten
 * times as fast. `deployment.test.ts` runs wrangler itself.
 */

const string = { type: "string" };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    config: string,
    command: string,
    timestamp: string,
    bookmark: string,
    "namespace-id": string,
    var: string,
    location: string,
    jurisdiction: string,
  },
});
const config = JSON.parse(readFileSync(values.config, "utf8"));
const account = `accounts/${process.env.CLOUDFLARE_ACCOUNT_ID}`;

async function call(method, path, body, headers = {}) {
  const url = `${process.env.CLOUDFLARE_API_BASE_URL}/${account}/${path}`;
  const sent = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(url, { method, headers, ...sent });
  const { success, result, errors } = await response.json();
  if (!success) throw new Error(errors[0].message);
  return result;
}

const database = (name) => {
  const { database_id: id } = config.d1_databases.find(({ binding }) => binding === name);
  return `d1/database/${id}`;
};

const commands = {
  "d1 execute": (name) => call("POST", `${database(name)}/query`, { sql: values.command }),
  "d1 time-travel info": (name) =>
    call("GET", `${database(name)}/time_travel/bookmark?timestamp=${String(values.timestamp)}`),
  "d1 time-travel restore": (name) =>
    call("POST", `${database(name)}/time_travel/restore?bookmark=${String(values.bookmark)}`),
  "d1 create": (name) => call("POST", "d1/database", { name, jurisdiction: values.jurisdiction }),
  "d1 list": () => call("GET", "d1/database?page=1&per_page=100"),
  async "d1 migrations apply"(name) {
    const execute = (sql) => call("POST", `${database(name)}/query`, { sql });
    await execute("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY, name TEXT)");
    const [{ results }] = await execute("SELECT name FROM d1_migrations");
    const applied = new Set(results.map((row) => row.name));
    const files = readdirSync("migrations").filter((file) => !applied.has(file));
    const statements = files
      .toSorted()
      .flatMap((file) => [
        readFileSync(`migrations/${file}`, "utf8"),
        `INSERT INTO d1_migrations (name) VALUES ('${file}');`,
      ]);
    return statements.length > 0 ? execute(statements.join("\n")) : null;
  },
  "kv namespace create": (title) => call("POST", "storage/kv/namespaces", { title }),
  "kv namespace list": () => call("GET", "storage/kv/namespaces?per_page=100"),
  "kv namespace delete": () =>
    call("DELETE", `storage/kv/namespaces/${String(values["namespace-id"])}`),
  "r2 bucket create": (name) =>
    call("POST", "r2/buckets", { name }, { "cf-r2-jurisdiction": values.jurisdiction }),
  async deploy() {
    if (values.var === "PAUSED:true") writeFileSync("paused", "");
    else rmSync("paused", { force: true });
    const targets = ["https://forms.example.com"];
    const file = process.env.WRANGLER_OUTPUT_FILE_PATH;
    writeFileSync(file, `${JSON.stringify({ type: "deploy", targets })}\n`);
    return null;
  },
};

const line = positionals.join(" ");
const name = Object.keys(commands).find((each) => line.startsWith(each));
try {
  const result = await commands[name](line.slice(name.length + 1));
  process.stdout.write(`${JSON.stringify(result)}\n`);
} catch (error) {
  process.stderr.write(`${line}: ${error.message}\n`);
  process.exitCode = 1;
}
