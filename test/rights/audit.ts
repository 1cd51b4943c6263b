import { env } from "cloudflare:workers";

/** How many acts the audit has: whatever is stored is told there, in the batch that stores it. */
export async function entriesOfTheAudit(): Promise<number> {
  const found = await env.DB.prepare("SELECT count(*) n FROM audit_entry").first<{ n: number }>();
  return found?.n ?? 0;
}
