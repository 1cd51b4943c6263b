import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** Local settings of a developer. They live in the folder of the local database and are deleted with it. */
export interface Local {
  email: string;
  password: string;
  /** The owner's session in the administration area. */
  cookie?: string;
  /** A personal token for the curl line that `npm run dev` prints. */
  token?: string;
}

const folder = ".wrangler";
const file = `${folder}/edge-forms-local.json`;
const secretsFile = ".dev.vars";

export function readLocal(): Local {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Local;
  return { email: "owner@example.com", password: randomBytes(12).toString("base64url") };
}

export function keepLocal(local: Local): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(local, null, 2)}\n`, { mode: 0o600 });
}

/** Creates missing secrets for local development and returns the set-up secret. */
export function ensureSecrets(): string {
  const text = existsSync(secretsFile) ? readFileSync(secretsFile, "utf8") : "";
  const missing = ["TOKEN_SECRET", "SETUP_SECRET"].filter((name) => !text.includes(`${name}=`));
  const lines = missing.map((name) => `${name}="${randomBytes(32).toString("base64url")}"\n`);
  if (lines.length > 0) writeFileSync(secretsFile, text + lines.join(""), { mode: 0o600 });
  const content = readFileSync(secretsFile, "utf8");
  return /^SETUP_SECRET="?([^"\n]*)"?$/m.exec(content)?.[1] ?? "";
}
