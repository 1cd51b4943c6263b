import { exports } from "cloudflare:workers";
import { answerOf, host, type Answer, type Json } from "./client";

export async function token(
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = new Request(`${host}/oauth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
  return answerOf(await exports.default.fetch(request));
}

/** Requests an access token for an API client at /oauth/token. */
export async function accessToken(apiClient: Json, scope?: string): Promise<string> {
  const { client_id, client_secret } = apiClient;
  const answer = await token({
    grant_type: "client_credentials",
    client_id,
    client_secret,
    ...(scope === undefined ? {} : { scope }),
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.access_token;
}
