import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, openAsBlob, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Cloudflare } from "./cloudflare.ts";
import { inJurisdiction } from "./resources.ts";
import type { Settings } from "./settings.ts";
import { stop } from "./wrangler.ts";

/**
 * Backups in a bucket. Each backup is a folder with the compressed exports, in parts, and a manifest that lists them.
 * The manifest is stored last, so a folder without one is incomplete.
 */

/** The maximum size of a part. Cloudflare's API accepts objects of up to 300 MiB. */
const maxPartBytes = 250_000_000;

export interface StoredFile {
  name: string;
  /** The SHA-256 of the compressed file. */
  sha256: string;
  bytes: number;
  /** The names of the objects that form the compressed file, in order. */
  parts: string[];
}

interface Manifest {
  files: StoredFile[];
  /** The settings file of the deployment, which contains no secrets. */
  settings: Settings;
}

export interface BackupFolder {
  cloudflare: Cloudflare;
  bucket: string;
  jurisdiction: string | undefined;
  /** The time of the backup. */
  folder: string;
}

const manifestName = "manifest.json";

async function put(
  { cloudflare, bucket, jurisdiction, folder }: BackupFolder,
  name: string,
  body: Blob,
) {
  const path = `/r2/buckets/${bucket}/objects/${folder}/${name}`;
  await cloudflare.call("PUT", path, { body, headers: inJurisdiction(jurisdiction) });
}

async function get(
  { cloudflare, bucket, jurisdiction, folder }: BackupFolder,
  name: string,
): Promise<Response> {
  const path = `/r2/buckets/${bucket}/objects/${folder}/${name}`;
  const response = await cloudflare.send("GET", path, { headers: inJurisdiction(jurisdiction) });
  return response.ok ? response : stop(`${bucket} has no ${folder}/${name} (${response.status}).`);
}

/** Compresses a file and stores it in parts. */
export async function storeFile(
  target: BackupFolder,
  file: string,
  partBytes = maxPartBytes,
): Promise<StoredFile> {
  const compressed = `${file}.gz`;
  const hash = createHash("sha256");
  await pipeline(
    createReadStream(file),
    createGzip(),
    async function* count(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(compressed),
  );
  const name = basename(compressed);
  const bytes = statSync(compressed).size;
  const blob = await openAsBlob(compressed);
  const parts: string[] = [];
  for (let start = 0; start < bytes; start += partBytes) {
    const part = `${name}.${String(parts.length + 1).padStart(3, "0")}`;
    await put(target, part, blob.slice(start, start + partBytes));
    parts.push(part);
  }
  rmSync(compressed);
  return { name, sha256: hash.digest("hex"), bytes, parts };
}

export async function storeManifest(target: BackupFolder, manifest: Manifest): Promise<void> {
  await put(target, manifestName, new Blob([JSON.stringify(manifest, null, 2)]));
}

/** Downloads a backup, joins its parts and expands them. Returns the paths of the exports. */
export async function downloadBackup(source: BackupFolder, output: string): Promise<string[]> {
  const { files } = (await (await get(source, manifestName)).json()) as Manifest;
  const paths: string[] = [];
  for (const { name, parts, sha256 } of files) {
    const compressed = join(dirname(output), name);
    const hash = createHash("sha256");
    await pipeline(async function* readParts() {
      for (const part of parts) {
        const { body } = await get(source, part);
        for await (const chunk of body ?? []) {
          hash.update(chunk);
          yield chunk;
        }
      }
    }, createWriteStream(compressed));
    if (hash.digest("hex") !== sha256) stop(`${compressed} differs from what was stored.`);
    const path = compressed.replace(/\.gz$/, "");
    await pipeline(createReadStream(compressed), createGunzip(), createWriteStream(path));
    rmSync(compressed);
    paths.push(path);
  }
  return paths;
}
