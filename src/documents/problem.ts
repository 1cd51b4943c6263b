import { problems } from "#domain/problem/catalogue.ts";
import type { Problem } from "#domain/problem/problem.ts";

/** A problem document (RFC 9457), extended by `code` and `request_id`. */
export function problemDocument(
  { code, detail, members }: Problem,
  origin: string,
  requestId: string,
) {
  const { status, title } = problems[code];
  return {
    type: new URL(`/problems/${code}`, origin).href,
    title,
    status,
    code,
    detail,
    request_id: requestId,
    ...members,
  };
}
