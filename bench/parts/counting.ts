import type { Counts } from "../workers/counts.ts";

export interface Answer {
  status: number;
  counts: Counts;
  etag: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** Calls the counted service, and gives what the call cost. */
export async function counting(
  url: string,
  token: string,
  method: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    counts: JSON.parse(answer.headers.get("X-Counts") ?? "{}") as Counts,
    etag: answer.headers.get("ETag") ?? "",
    body: text.startsWith("{") ? JSON.parse(text) : text,
  };
}
