import { createHash, randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EdgeForms, type Options } from "../src/index.ts";
import { FailingService, faults, problem, type Answer, type Request } from "./failing-service.ts";

interface Stored {
  announced: Record<string, unknown>;
  content: Buffer | undefined;
}

/** Simulates the service's rules for files that a client relies on: keys, digests and repeatable uploads. */
class StoredFiles {
  readonly files = new Map<string, Stored>();
  readonly #ids = new Map<string, string>();

  readonly serve = ({ method, path, headers, body }: Request): Answer => {
    if (path.endsWith("/files")) return this.#announce(String(headers["idempotency-key"]), body);
    const id = path.split("/")[4] ?? "";
    const file = this.files.get(id);
    if (!file) return problem(404, "not_found");
    if (method === "DELETE") this.files.delete(id);
    if (method === "DELETE") return { status: 204 };
    if (method === "GET" && !path.endsWith("/content")) return this.#shown(200, id);
    if (method === "POST") return { status: 200, body: { url: "https://x", expires_at: "2026" } };
    if (method === "GET") return { status: 200, body: file.content, headers: reprDigest(file) };
    if (digest(body, "hex") !== file.announced["sha256"]) return problem(422, "invalid_input");
    file.content = body;
    return this.#shown(200, id);
  };

  #announce(key: string, announced: Record<string, unknown>): Answer {
    const id = this.#ids.get(key) ?? `fil_${this.#ids.size + 1}`;
    this.#ids.set(key, id);
    if (!this.files.has(id)) this.files.set(id, { announced, content: undefined });
    return this.#shown(201, id);
  }

  #shown(status: number, id: string): Answer {
    const { name, bytes, sha256 } = this.files.get(id)?.announced ?? {};
    return { status, body: { id, name, bytes, sha256, content_type: "image/png", links: {} } };
  }
}

const digest = (content: Buffer, encoding: "hex" | "base64") =>
  createHash("sha256").update(content).digest(encoding);
const reprDigest = ({ content = Buffer.of() }: Stored) => ({
  "Repr-Digest": `sha-256=:${digest(content, "base64")}:`,
});

describe("Files", () => {
  let stored: StoredFiles;
  let service: FailingService;
  let url: string;
  const place = { collection: "form:purchase", field: "invoices" } as const;
  const clientWith = (options: Partial<Options> = {}) =>
    new EdgeForms({ url, token: "efp_x", timeout: 300, ...options });
  beforeEach(async () => {
    stored = new StoredFiles();
    service = new FailingService(stored.serve);
    url = await service.start();
  });
  afterEach(() => service.stop());

  it.each(faults)("are uploaded once and downloaded as they were, through %s", async (fault) => {
    service.faults = (index) => (index % 2 === 0 ? fault : undefined);
    const content = randomBytes(100_000);
    const { files } = clientWith();
    const uploaded = await files.upload(new Uint8Array(content), { ...place, name: "a.png" });
    expect(uploaded).toMatchObject({ id: "fil_1", name: "a.png", bytes: content.length });
    expect(stored.files.size).toBe(1);
    expect(Buffer.compare(await files.download(uploaded), content)).toBe(0);
    await files.delete(uploaded.id);
    expect(stored.files.size).toBe(0);
  });

  it("keep the name of a File, but not its type", async () => {
    const file = new File(["content"], "report.txt", { type: "text/html" });
    const uploaded = await clientWith().files.upload(file, place);
    expect(uploaded.name).toBe("report.txt");
    expect(service.requests.map(({ headers }) => headers["content-type"])).toEqual([
      "application/json",
      "application/octet-stream",
    ]);
    await expect(clientWith().files.upload(new Blob(["a"]), place)).rejects.toThrow("name");
  });

  it("are rejected when the downloaded bytes differ from the digest", async () => {
    const { files } = clientWith();
    const { id } = await files.upload(new Blob(["content"]), { ...place, name: "a" });
    service.faults = () => undefined;
    const file = stored.files.get(id);
    Object.defineProperty(file, "content", {
      get: () => Buffer.from(randomBytes(8)),
    });
    await expect(files.download(id)).rejects.toMatchObject({ code: "unexpected_answer" });
  });

  it("have links, and metadata", async () => {
    const { files } = clientWith();
    const { id } = await files.upload(new Blob(["content"]), { ...place, name: "a" });
    expect(await files.link(id)).toEqual({ url: "https://x", expires_at: "2026" });
    expect(await files.get(id)).toMatchObject({ id, name: "a" });
    await expect(files.get("fil_9")).rejects.toMatchObject({ status: 404 });
  });
});
