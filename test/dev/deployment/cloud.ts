import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Account, Refusal } from "./account.ts";
import { endpoints } from "./endpoints.ts";
import type { Storage } from "./storage.ts";

/**
 * Imitates Cloudflare on this machine: the API endpoints that wrangler calls, and a proxy through which deployed
 * Workers are reachable under their own host names. Returns 404 to unknown calls, so that no test passes with a call
 * that Cloudflare might reject.
 */
export class Cloud {
  readonly account: Account;
  /** The calls in order, such as `PUT /accounts/…`. */
  readonly calls: string[] = [];
  /** The JSON of each call. */
  readonly #bodies: string[] = [];
  /** Runs after the effect of a call, such as `POST /accounts/… {"sql":…`, and before its response. */
  onEffect: (call: string) => void = () => undefined;
  readonly #server: Server;

  constructor(storage?: Storage) {
    this.account = new Account(storage);
    this.#server = createServer((request, response) => void this.#answer(request, response));
    // On a busy machine, a command may need more than the usual 5 seconds between two calls.
    this.#server.keepAliveTimeout = 600_000;
    this.#server.on("connect", (request: IncomingMessage, socket, head: Buffer) => {
      const open = async () => {
        const port = await this.#port(request.url ?? "");
        const target = connect(port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
          target.write(head);
          target.pipe(socket).pipe(target);
        });
        for (const end of [target, socket])
          end.on("error", () => [target, socket].map((peer) => peer.destroy()));
      };
      void open();
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.account.runtime.stop();
  }

  get #address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The JSON of all equal calls. */
  bodies(call: string): string[] {
    return this.#bodies.filter((_, index) => this.calls[index] === call);
  }

  /** The environment variables that direct a shell to this imitation. */
  get environment(): Record<string, string> {
    return {
      CLOUDFLARE_API_BASE_URL: `${this.#address}/client/v4`,
      CLOUDFLARE_API_TOKEN: "a token of the imitation",
      CLOUDFLARE_ACCOUNT_ID: this.account.id,
      HTTPS_PROXY: this.#address,
      https_proxy: this.#address,
      NO_PROXY: "127.0.0.1",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
    };
  }

  /** Returns the port of a tunnel's target: the runtime's port, or the given port on this machine. */
  async #port(target: string): Promise<number> {
    const [host, port] = target.split(":");
    return host === "127.0.0.1" ? Number(port) : this.account.runtime.portOf(host ?? "");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const url = new URL(request.url ?? "", this.#address);
    const path = url.pathname.replace("/client/v4", "").replace(this.account.id, "ours");
    this.calls.push(`${request.method} ${path}`);
    const isJson = request.headers["content-type"]?.includes("json") === true;
    const bodyJson = isJson ? body.toString() : "";
    this.#bodies.push(bodyJson);
    const respond = (status: number, json: object) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ success: status < 400, messages: [], errors: [], ...json }));
    };
    const uploadHash = /^\/imported\/([0-9a-f]{32})$/.exec(path)?.[1];
    if (uploadHash && request.method === "PUT") {
      this.account.files.set(uploadHash, body);
      const etag = createHash("md5").update(body).digest("hex");
      return void response.writeHead(200, { ETag: `"${etag}"` }).end();
    }
    try {
      for (const [method, pattern, handle] of endpoints) {
        const match = new URLPattern({ pathname: pattern }).exec({ pathname: path });
        if (method !== request.method || !match) continue;
        const params = Object.fromEntries(
          Object.entries(match.pathname.groups).map(([name, value]) => [name, value ?? ""]),
        );
        const call = {
          params,
          path,
          query: url.searchParams,
          body,
          type: request.headers["content-type"],
          jurisdiction: request.headers["cf-r2-jurisdiction"] as string | undefined,
        };
        const result = await handle(this.account, { ...call, origin: this.#address });
        this.onEffect(`${request.method} ${path} ${bodyJson}`);
        if (typeof result === "string" || Buffer.isBuffer(result)) return void response.end(result);
        const pageCounts = Array.isArray(result)
          ? { count: result.length, total_count: result.length }
          : {};
        return respond(200, {
          result: result ?? null,
          result_info: { page: 1, per_page: 100, ...pageCounts },
        });
      }
      throw new Refusal(404, 7003, `The imitation does not know ${request.method} ${path}.`);
    } catch (error) {
      const { status, code } = error instanceof Refusal ? error : { status: 500, code: 10_000 };
      respond(status, { result: null, errors: [{ code, message: (error as Error).message }] });
    }
  }
}
