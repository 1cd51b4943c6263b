/** The least that each storage can be asked, so that its answer says that it works. */
export async function askDatabase(db: D1Database): Promise<void> {
  // A table of ours, so that a database without migrations does not pass for one that works.
  await db.prepare("SELECT 1 FROM member LIMIT 1").all();
}

export async function askReplays(kv: KVNamespace): Promise<void> {
  await kv.get("health");
}
