import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientOptions,
} from "@modelcontextprotocol/client";

/** Acts like an assistant with the official client library, in each protocol version and with each credential. */

const { URL: url = "", TOKEN: token = "", CLIENT = "" } = process.env;
const address = new URL("/mcp", url);
const [clientId = "", clientSecret = ""] = CLIENT.split(":");

type Options = ConstructorParameters<typeof StreamableHTTPClientTransport>[1];
const bearer: Options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
const oauth: Options = {
  authProvider: new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: url }),
};

async function connect(options: Options, mode: "legacy" | "auto"): Promise<Client> {
  const negotiation: ClientOptions = { versionNegotiation: { mode } };
  const client = new Client({ name: "assistant", version: "1" }, negotiation);
  await client.connect(new StreamableHTTPClientTransport(address, options));
  return client;
}

type StructuredContent = Record<string, never>;
const contentOf = ({ structuredContent }: CallToolResult) => structuredContent as StructuredContent;

/** Sends an invalid submission, corrects it, creates it twice with one key, and finds it. */
async function assist(client: Client, title: string): Promise<string> {
  const call = async (name: string, toolArguments: object) =>
    (await client.callTool({ name, arguments: { ...toolArguments } })) as CallToolResult;
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === "create_submission_purchase");
  const { required = [] } = (tool?.inputSchema.$defs as StructuredContent)[
    "PurchaseSubmissionInput"
  ] as StructuredContent;
  const rejected = await call("create_submission_purchase", { data: { title, amount: "many" } });
  const errors = contentOf(rejected)["errors"] as { pointer: string; code: string }[];
  const validData = { title, department: "Office", amount: 3 };
  const key = { idempotency_key: title };
  const created = contentOf(await call("create_submission_purchase", { data: validData, ...key }));
  const replayed = contentOf(await call("create_submission_purchase", { data: validData, ...key }));
  const conditions = [{ field: "title", op: "eq", value: title }];
  const matches = contentOf(await call("search_submissions_purchase", { conditions }))[
    "items"
  ] as StructuredContent[];
  const sameId = new Set([created, replayed, ...matches].map(({ id }) => id)).size === 1;
  return [
    client.getNegotiatedProtocolVersion(),
    `${tools.length} tools`,
    `needs ${(required as string[]).join()}`,
    ...errors.map(({ pointer, code }) => `${pointer} ${code}`),
    `${matches.length} found, ${sameId ? "the same" : "another"}`,
  ].join("; ");
}

for (const [name, options] of Object.entries({ bearer, oauth })) {
  for (const mode of ["auto", "legacy"] as const) {
    const client = await connect(options, mode);
    console.log(await assist(client, `${name}-${mode}`));
    await client.close();
  }
}
const client = await connect(bearer, "auto");
const unknown = await client.callTool({ name: "drop_tables", arguments: {} }).catch(String);
console.log(unknown);
