import { newKey } from "./collection.ts";
import { EdgeFormsError } from "./problem.ts";
import type { Transport } from "./transport.ts";
import type { CallOptions, WriteOptions } from "./types.ts";

/** A file in a field of the type `files`. */
export interface Attachment {
  /** The ID, like `fil_…`. */
  id: string;
  name: string;
  /** The type that the service detected from the content. */
  content_type: string;
  bytes: number;
  /** The SHA-256 of the content in hexadecimal. */
  sha256: string;
  links: { content: string };
}

export interface UploadOptions extends WriteOptions {
  /** The form or app of the file, like `form:purchase`. */
  collection: `form:${string}` | `app:${string}`;
  /** The key of a field of the type `files`. */
  field: string;
  /** The file's name. A `File` has its own. */
  name?: string | undefined;
}

export interface FileLink {
  url: string;
  expires_at: string;
}

type Bytes = ArrayBuffer | Uint8Array<ArrayBuffer>;

/** Uploads and downloads the attachments of items. */
export class Files {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a file. Attach it within 24 hours, by writing what this returns into the field of an item. The service
   * verifies the bytes by their digest.
   *
   * @example
   * const invoice = await client.files.upload(blob, { collection: "form:purchase", field: "invoices", name: "a.pdf" });
   * await client.submissions("purchase").create({ invoices: [invoice] });
   */
  async upload(content: Blob | Bytes, options: UploadOptions): Promise<Attachment> {
    const { collection, field, key = newKey(), signal } = options;
    const blob = content instanceof Blob ? content : new Blob([content]);
    const name = options.name ?? (blob as Partial<File>).name;
    if (!name) throw new TypeError("Set the name of the file.");
    const sha256 = toHex(await digest(await blob.arrayBuffer()));
    const body = { collection, field, name, bytes: blob.size, sha256 };
    const announced = await this.#transport.send({
      method: "POST",
      path: "/files",
      headers: { "Idempotency-Key": key },
      body,
      lane: "write",
      safe: true,
      signal,
    });
    const { id } = announced.body as { id: string };
    const stored = await this.#transport.send({
      method: "PUT",
      path: `${pathOf(id)}/content`,
      headers: { "Content-Type": "application/octet-stream" },
      // The copy has no type, because the caller's type would replace the header.
      content: blob.slice(0, blob.size, ""),
      carriedBytes: blob.size,
      lane: "write",
      safe: true,
      signal,
    });
    return stored.body as Attachment;
  }

  /** Returns the content of a file, verified by its digest. */
  async download(
    file: string | Attachment,
    { signal }: CallOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { id, bytes } = typeof file === "string" ? { id: file, bytes: maxFileBytes } : file;
    const { body, headers } = await this.#transport.send({
      method: "GET",
      path: `${pathOf(id)}/content`,
      headers: { Accept: "*/*" },
      isBinary: true,
      carriedBytes: bytes,
      lane: "read",
      safe: true,
      signal,
    });
    const content = body as Uint8Array<ArrayBuffer>;
    const [, expected] = /sha-256=:([^:]+):/.exec(headers.get("Repr-Digest") ?? "") ?? [];
    if (expected !== undefined && expected !== toBase64(await digest(content))) {
      throw new EdgeFormsError("The downloaded bytes differ from those that are stored.", {
        code: "unexpected_answer",
      });
    }
    return content;
  }

  /** Returns the metadata of a file. */
  async get(id: string, { signal }: CallOptions = {}): Promise<Attachment> {
    return (await this.#send("GET", pathOf(id), "read", signal)) as Attachment;
  }

  /** Issues a link that works without a credential, for at most an hour. */
  async link(id: string, { signal }: CallOptions = {}): Promise<FileLink> {
    return (await this.#send("POST", `${pathOf(id)}/link`, "read", signal)) as FileLink;
  }

  /** Deletes a file that is attached to no item. */
  async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
    try {
      await this.#send("DELETE", pathOf(id), "write", signal);
    } catch (error) {
      // An earlier attempt, whose response was lost, deleted it.
      const isGone = error instanceof EdgeFormsError && error.status === 404 && error.doubtful;
      if (!isGone) throw error;
    }
  }

  async #send(method: string, path: string, lane: "read" | "write", signal?: AbortSignal) {
    return (await this.#transport.send({ method, path, lane, safe: true, signal })).body;
  }
}

/** The maximum size of a file. */
const maxFileBytes = 90_000_000;

const pathOf = (id: string) => `/files/${encodeURIComponent(id)}`;

/** Browsers offer Web Crypto only to pages that are loaded over HTTPS, or from the same machine. */
async function digest(content: BufferSource): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", content));
}

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
