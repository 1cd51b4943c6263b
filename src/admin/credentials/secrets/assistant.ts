import type { Credential } from "../../../domain/credential/credential";
import { clientId } from "../document";

/**
 * What an assistant's settings take, by the Model Context Protocol: the address and the header, as most clients write
 * them. Of a client, what its program takes, as no setting is the same everywhere.
 */
export function assistantSettings(origin: string, credential: Credential, secret: string): string {
  const url = `${origin}/mcp`;
  if (credential.kind !== "token") {
    const [id, issuer] = [clientId(credential), origin];
    return JSON.stringify({ url, issuer, client_id: id, client_secret: secret }, null, 2);
  }
  const headers = { Authorization: `Bearer ${secret}` };
  const server = { type: "http", url, headers };
  return JSON.stringify({ mcpServers: { "edge-forms": server } }, null, 2);
}
