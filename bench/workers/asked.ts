const sessionHeader = "x-cf-d1-session-commit-token";
const reading = /^\s*(?:select|explain|pragma|with)\b/i;
const writing = /\b(?:insert\s+into|update\s+\S+\s+set|delete\s+from)\b/i;

/** Whether a D1 request goes to the primary: without a session, with `first-primary`, or to write. */
export async function asksPrimary(request: Request): Promise<boolean> {
  const session = request.headers.get(sessionHeader);
  if (session === null || session === "first-primary") return true;
  const asked: { sql: string } | { sql: string }[] = await request.json();
  return [asked].flat().some(({ sql }) => !reading.test(sql) || writing.test(sql));
}
