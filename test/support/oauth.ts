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

/** The access token of an API client, as /oauth/token gives it. */
export async function accessToken(issued: Json, scope?: string): Promise<string> {
  const { client_id, client_secret } = issued;
  const answer = await token({
    grant_type: "client_credentials",
    client_id,
    client_secret,
    ...(scope === undefined ? {} : { scope }),
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.access_token;
}
