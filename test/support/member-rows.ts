import { scryptSync } from "node:crypto";
import { sha256, createRandomSecret, signSecret } from "../../src/domain/credential/keys.ts";
import { homeDb } from "./databases";
import { outside, serviceWith } from "./serve";

interface MemberRow {
  id: string;
  email: string;
  role: string;
  password: string;
}

/** Stores a member with a cheap password hash. A hash contains its cost, so comparing it is cheap too. */
export async function insertMember({ id, email, role, password }: MemberRow): Promise<void> {
  const salt = Buffer.from("salt");
  const key = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  const hash = `scrypt$2$1$1$${salt.toString("base64")}$${key.toString("base64")}`;
  await homeDb
    .prepare("INSERT INTO member (id, email, role, password, created_at) VALUES (?, ?, ?, ?, 0)")
    .bind(id, email, role, hash)
    .run();
}

const { keys } = serviceWith();

/** Stores a session and returns its cookie. */
export async function insertSession(memberId: string): Promise<string> {
  const secret = createRandomSecret(outside.random);
  const session = await signSecret(keys, "session", secret);
  await homeDb
    .prepare("INSERT INTO session (hash, member_id, created_at, expires_at) VALUES (?, ?, 0, ?)")
    .bind(await sha256(session), memberId, Date.now() + 3_600_000)
    .run();
  return `__Host-session=${session}`;
}
