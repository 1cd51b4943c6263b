import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientOptions,
} from "@modelcontextprotocol/client";

/** What an assistant does through the official client library, with each version of the protocol and each credential. */

const { URL: url = "", TOKEN: token = "", CLIENT = "" } = process.env;
const address = new URL("/mcp", url);
const [clientId = "", clientSecret = ""] = CLIENT.split(":");

type Options = ConstructorParameters<typeof StreamableHTTPClientTransport>[1];
const bearer: Options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
const oauth: Options = {
  authProvider: new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: url }),
};

async function connected(options: Options, mode: "legacy" | "auto"): Promise<Client> {
  const negotiation: ClientOptions = { versionNegotiation: { mode } };
  const client = new Client({ name: "assistant", version: "1" }, negotiation);
  await client.connect(new StreamableHTTPClientTransport(address, options));
  return client;
}

type Told = Record<string, never>;
const toldBy = ({ structuredContent }: CallToolResult) => structuredContent as Told;

/** Makes a submission, mending what is refused, and finds it. */
async function assist(client: Client, title: string): Promise<string> {
  const call = async (name: string, sent: object) =>
    (await client.callTool({ name, arguments: { ...sent } })) as CallToolResult;
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === "create_submission_purchase");
  const { required = [] } = (tool?.inputSchema.$defs as Told)["PurchaseSubmissionInput"] as Told;
  const wrong = await call("create_submission_purchase", { data: { title, amount: "many" } });
  const errors = toldBy(wrong)["errors"] as { pointer: string; code: string }[];
  const mended = { title, department: "Office", amount: 3 };
  const key = { idempotency_key: title };
  const made = toldBy(await call("create_submission_purchase", { data: mended, ...key }));
  const again = toldBy(await call("create_submission_purchase", { data: mended, ...key }));
  const conditions = [{ field: "title", op: "eq", value: title }];
  const found = toldBy(await call("search_submissions_purchase", { conditions }))[
    "items"
  ] as Told[];
  const sameId = new Set([made, again, ...found].map(({ id }) => id)).size === 1;
  return [
    client.getNegotiatedProtocolVersion(),
    `${tools.length} tools`,
    `needs ${(required as string[]).join()}`,
    ...errors.map(({ pointer, code }) => `${pointer} ${code}`),
    `${found.length} found, ${sameId ? "the same" : "another"}`,
  ].join("; ");
}

for (const [name, options] of Object.entries({ bearer, oauth })) {
  for (const mode of ["auto", "legacy"] as const) {
    const client = await connected(options, mode);
    console.log(await assist(client, `${name}-${mode}`));
    await client.close();
  }
}
const client = await connected(bearer, "auto");
const unknown = await client.callTool({ name: "drop_tables", arguments: {} }).catch(String);
console.log(unknown);
