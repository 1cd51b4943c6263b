import { createHash } from "node:crypto";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Owner } from "../../src/dev/owner.ts";
import { freePort } from "../support/free-port.ts";
import { project } from "./built.ts";
import { account, caller, everyItem, issueAs, type Call } from "./server.ts";

interface FileValue {
  name: string;
  id: string;
  content_type: string;
  sha256: string;
}

/** A clone in which `npm ci` has run and nothing else. */
function createClone(): string {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-fresh-"));
  const links = ["migrations", "node_modules", "package.json", "tsconfig.json"];
  const copies = ["src", "docs", "bench/plots", "CHANGELOG.md", "wrangler.toml"];
  for (const path of links) symlinkSync(join(project, path), join(folder, path));
  for (const path of copies) cpSync(join(project, path), join(folder, path), { recursive: true });
  return folder;
}

/** A command in the clone, with its output so far. */
class Command {
  stdout = "";
  stderr = "";
  /** Both, in the order of their arrival. */
  output = "";
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(folder: string, command: string, ...args: string[]) {
    const child = spawn(command, args, { cwd: folder, detached: true });
    child.stdout.on("data", (chunk) => (this.stdout += String(chunk)));
    child.stderr.on("data", (chunk) => (this.stderr += String(chunk)));
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (this.output += String(chunk)));
    this.exited = new Promise((resolve) => child.on("exit", resolve));
    this.#child = child;
  }

  /** Waits for a match in the output, and returns its first group. */
  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const [match, group] = pattern.exec(this.stdout) ?? [];
      if (match !== undefined) return group ?? match;
      if (this.#child.exitCode !== null) throw new Error(`${this.stdout}\n${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async kill(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    if (exitCode !== null || signalCode !== null || pid === undefined) return;
    process.kill(-pid, "SIGKILL");
    await this.exited;
  }
}

describe("A fresh clone", () => {
  const folder = createClone();
  let wrangler: Command;
  let url = "";
  beforeAll(async () => {
    const options = ["--port=0", "--inspector-port=0", "--ip=127.0.0.1"];
    wrangler = new Command(folder, "wrangler", "dev", ...options);
    url = await wrangler.printed(/Ready on (http:\S+)/);
  });
  afterAll(async () => {
    await wrangler.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it("under wrangler dev, names what is missing on a page, in /health?deep and in the log", async () => {
    const page = await fetch(`${url}/admin/sign-in`, { headers: { Accept: "text/html" } });
    expect(page.status).toBe(503);
    const reason = /lacks the secrets TOKEN_SECRET and SETUP_SECRET.*npm run dev/;
    expect(await page.text()).toMatch(reason);
    const health = await fetch(`${url}/health?deep`);
    expect([health.status, await health.text()]).toEqual([503, expect.stringMatching(reason)]);
    await expect.poll(() => wrangler.stderr).toMatch(/"event":"not_set_up".*npm run dev/);
  });

  describe("after wrangler dev and `cp .dev.vars.example .dev.vars`, under npm run dev", () => {
    const requests: string[] = [];
    let late: Command;
    let serve: Command;
    let startOutput = "";
    let call: Call;
    const start = async (port = Number(new URL(url).port)) => {
      serve = new Command(folder, "npm", "run", "dev", "--", "--port", String(port));
      url = await serve.printed(/Edge Forms answers at (\S+)/);
    };
    beforeAll(async () => {
      await wrangler.kill();
      cpSync(join(project, ".dev.vars.example"), join(folder, ".dev.vars"));
      const port = await freePort();
      late = new Command(folder, "node", "src/dev/serve.ts", "--port", String(port));
      await late.printed(/Creating a local database/);
      const other = createServer((request, response) => {
        requests.push(`${request.method} ${request.url}`);
        response.end("{}");
      });
      await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
      await late.exited;
      await new Promise((resolve) => other.close(resolve));
      await start(port);
      // Anything that still follows would be printed by now.
      await new Promise((resolve) => setTimeout(resolve, 500));
      startOutput = serve.output;
      const { token } = await issueAs(new Owner(url, account({ folder })), ["--requests", "10000"]);
      call = caller(url, token);
    });
    afterAll(async () => {
      await late.kill();
      await serve.kill();
    });

    it("sends nothing to a server that takes the port during the demo, and names --port", async () => {
      expect([await late.exited, requests]).toEqual([1, []]);
      expect(late.stderr.trimEnd().split("\n").at(-1)).toMatch(
        /^Port \d+ is in use. Choose another one: npm run dev -- --port \d+$/,
      );
    });

    it("fills empty secrets, and prints a curl command that lists the orders of the demo", async () => {
      const secrets = readFileSync(join(folder, ".dev.vars"), "utf8");
      expect(secrets).toMatch(/^TOKEN_SECRET="\S{40,}"\nSETUP_SECRET="\S{40,}"$/m);
      const command = await serve.printed(/^ {2}(curl .*)$/m);
      const orders = JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" }));
      expect(orders.items[0]).toMatchObject({ app: "orders", receipt_number: /^ORD-\d{6}$/ });
    });

    it("runs the cron, and hides the advice to call it by hand", async () => {
      await serve.printed(/"event":"database"/);
      expect(serve.stderr).not.toContain("Scheduled Workers");
    });

    it("shows each atomic save of docs/errors.md and of CHANGELOG.md", async () => {
      const files = { "docs/errors.md": "errors", "CHANGELOG.md": "changelog" };
      // Both at once, because each save starts a build.
      for (const text of ["The first edit.", "The second edit."]) {
        for (const file of Object.keys(files)) {
          const path = join(folder, file);
          writeFileSync(`${path}~`, `${readFileSync(path, "utf8")}\n\n${text}\n`);
          renameSync(`${path}~`, path);
        }
        for (const slug of Object.values(files)) {
          const readPage = async () => (await fetch(`${url}/docs/${slug}`)).text();
          await expect.poll(readPage, { timeout: 60_000, interval: 200 }).toContain(text);
        }
      }
    });

    it("prints the owner's sign-in and a curl line that works", async () => {
      expect(startOutput).toContain(`${url}/admin`);
      expect(startOutput).toContain("owner@example.com");
      const [, address = "", bearer = ""] =
        /curl -s '(\S+)' -H 'Authorization: Bearer (\S+)'/.exec(startOutput) ?? [];
      const { status, body } = await caller(url, bearer)("GET", address);
      expect(status).toBe(200);
      expect(body.items).toHaveLength(2);
      // A formula computed this value. The runtime forbids eval.
      expect(body.items[0].data.total).toBe(60.4);
    });

    it("prints one log line per request, and the sign-in and the curl line last", () => {
      const [before = "", after = ""] = startOutput.split("Edge Forms answers at");
      expect(before).not.toMatch(/\[wrangler:info\].*(GET|POST|PUT) /);
      expect(before).toContain('{"event":"request"');
      expect(after.trim()).toMatch(/curl -s \S+ -H 'Authorization: Bearer \S+'$/);
    });

    it("has files in the demo, in lists, on items and in the history", async () => {
      const withFiles = async (form: string, field: string) => {
        const conditions = [{ field, op: "is_empty", value: false }];
        const found = await call("POST", `/forms/${form}/submissions/search`, { conditions });
        return found.body.items as { id: string; data: Record<string, FileValue[]> }[];
      };
      const items = [
        ...(await withFiles("helpdesk", "photos")),
        ...(await withFiles("purchase", "invoices")),
      ];
      const files = items.flatMap(({ data }) => data["photos"] ?? data["invoices"] ?? []);
      expect(files.map(({ name, content_type }) => [name, content_type])).toEqual([
        ["nib.png", "image/png"],
        ["lamp.png", "image/png"],
        ["quote.pdf", "application/pdf"],
      ]);
      const { email, password } = account({ folder });
      const signIn = await fetch(`${url}/admin/sign-in`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Origin: url },
        body: JSON.stringify({ email, password }),
        redirect: "manual",
      });
      const Cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const get = (path: string) => fetch(`${url}/admin${path}`, { headers: { Cookie } });
      const page = async (path: string) => (await get(path)).text();
      for (const { id, sha256 } of files) {
        const content = await (await get(`/files/${id}/content`)).bytes();
        expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
      }
      const [nib, , quote] = items;
      expect(await page("/forms/purchase/items")).toContain("quote.pdf");
      expect(await page(`/forms/helpdesk/items/${nib?.id}`)).toMatch(/<img src="[^"]*\/content"/);
      const history = await page(`/forms/purchase/items/${quote?.id}`);
      expect(history.split("quote.pdf").length).toBeGreaterThan(3);
    });

    it("finds its data after a restart and seeds nothing twice", async () => {
      const recordsBefore = await everyItem(call, "/apps/orders/records");
      await serve.kill();
      await start();
      expect(await everyItem(call, "/apps/orders/records")).toEqual(recordsBefore);
    });

    it("stops with one line when the local owner cannot sign in", async () => {
      await serve.kill();
      rmSync(join(folder, ".wrangler/edge-forms-local.json"));
      serve = new Command(folder, "node", "src/dev/serve.ts", "--port", new URL(url).port);
      expect(await serve.exited).toBe(1);
      expect(serve.stderr.trim()).toBe(
        `The local owner cannot sign in at ${url} (401). ` +
          "Stop the server, delete the folder .wrangler and run `npm run dev` to start over.",
      );
    });
  });
});
