import { createHash } from "node:crypto";
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { host, type Answer, type Client, type Json } from "./client";

/** The content of the file of the world, as JSON. */
export const fileContent = { note: "one" };

/** A small file whose type is detected as PDF. */
export const pdf = (text = "one") => new TextEncoder().encode(`%PDF-1.7\n${text}`);

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Returns the body that announces a file for the field `invoices`. */
export const announcement = (collection: string, bytes: Uint8Array, name = "a.pdf") => ({
  collection,
  field: "invoices",
  name,
  bytes: bytes.length,
  sha256: sha256(bytes),
});

export const putContent = (caller: Client, id: string, bytes: Uint8Array | string) =>
  caller.put(`/files/${id}/content`, bytes, { "Content-Type": "application/octet-stream" });

export async function announce(caller: Client, collection: string, bytes = pdf()): Promise<Json> {
  const answer = await caller.post("/files", announcement(collection, bytes));
  expect([answer.status, answer.text]).toMatchObject([201, expect.any(String)]);
  return answer.body;
}

/** Announces a file and stores its content. Returns its ID. */
export async function upload(
  caller: Client,
  collection: string,
  bytes = pdf(),
  name = "a.pdf",
): Promise<string> {
  const { body } = await caller.post("/files", announcement(collection, bytes, name));
  const stored = await putContent(caller, body.id, bytes);
  expect([stored.status, stored.text]).toMatchObject([200, expect.any(String)]);
  return body.id as string;
}

/** Downloads the content as unchanged bytes. */
export const download = (
  { bearer }: Client,
  id: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Response> =>
  exports.default.fetch(
    new Request(`${host}/api/v1/files/${id}/content`, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, ...headers },
    }),
  );

/** Opens a link without a credential. */
export const open = (url: string): Promise<Response> => exports.default.fetch(new Request(url));

export const codesOf = ({ body }: Answer): string[] =>
  (body.errors ?? []).map(({ code }: Json) => code);
