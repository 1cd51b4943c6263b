import { isObject } from "#domain/json.ts";
import { shortened } from "#domain/problem/field-errors.ts";

/** The Model Context Protocol as it is spoken here: the messages of JSON-RPC, and what is wrong with one. */

/** Each request says its version and who asks. */
const modern = "2026-07-28";
/** A handshake says the version once; nothing of it is kept here, as all of these mean the same by the same words. */
const legacy = ["2025-11-25", "2025-06-18"] as const;
const versions = [modern, ...legacy];

const meta = "io.modelcontextprotocol";

export type Id = string | number;

export interface Message {
  /** Undefined for a notification, which is not answered. */
  id: Id | undefined;
  method: string;
  params: Record<string, unknown>;
  modern: boolean;
}

/** What JSON-RPC and the protocol call errors. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A message that cannot be taken, with what HTTP says of it. */
export class Refused extends Error {
  readonly status: 200 | 400 | 403 | 404;
  readonly code: number;
  readonly data: unknown;

  constructor(status: Refused["status"], code: number, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

const refused = (code: number, message: string, data?: unknown) =>
  new Refused(400, code, message, data);

export type HeaderOf = (name: string) => string | undefined;

/** The id of what was sent, where it has one. */
export function messageId(body: unknown): Id | undefined {
  const id = isObject(body) ? body["id"] : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as Id) : undefined;
}

/** Reads a request or a notification; throws where it is neither, or its headers say otherwise. */
export function readMessage(body: unknown, header: HeaderOf): Message {
  const { jsonrpc, method, params = {} } = isObject(body) ? body : {};
  if (Array.isArray(body)) throw refused(codes.invalidRequest, "Send one message at a time.");
  if (!isObject(body) || jsonrpc !== "2.0" || typeof method !== "string" || !isObject(params)) {
    throw refused(codes.invalidRequest, "This is no request or notification of JSON-RPC 2.0.");
  }
  const id = messageId(body);
  if (id === undefined && "id" in body) {
    throw refused(codes.invalidRequest, "An id is a string or a whole number.");
  }
  const message = { id, method, params, modern: isModern(method, params, header) };
  if (message.modern && id !== undefined) refuseDifferences(message, header);
  return message;
}

const metaOf = (params: Record<string, unknown>) =>
  isObject(params["_meta"]) ? params["_meta"] : {};

/** Whether it is said per request which version is spoken: all but the versions of the handshake are. */
function isModern(method: string, params: Record<string, unknown>, header: HeaderOf): boolean {
  if (`${meta}/protocolVersion` in metaOf(params)) return true;
  const said = header("MCP-Protocol-Version");
  if (said === undefined || (legacy as readonly string[]).includes(said)) return false;
  return method !== "initialize" || said === modern;
}

/** What stands on the way may have read the headers alone: they say what the body says. */
function refuseDifferences({ method, params }: Message, header: HeaderOf): void {
  const sent = metaOf(params);
  const version = sent[`${meta}/protocolVersion`];
  const said = header("MCP-Protocol-Version");
  if (typeof version === "string" && said !== undefined && said !== version) {
    throw mismatch("MCP-Protocol-Version");
  }
  const asked = version ?? said;
  if (asked !== modern) {
    const requested = typeof asked === "string" ? shortened(asked) : null;
    const data = { supported: versions, requested };
    throw refused(codes.unsupportedVersion, "Unsupported protocol version", data);
  }
  const missing = ["protocolVersion", "clientCapabilities"]
    .map((name) => `${meta}/${name}`)
    .filter((name) => !(name in sent));
  if (missing.length > 0) {
    throw refused(codes.invalidParams, `_meta lacks ${missing.join(" and ")}.`);
  }
  if (!isObject(sent[`${meta}/clientCapabilities`])) {
    throw refused(codes.invalidParams, `${meta}/clientCapabilities is an object.`);
  }
  if (said === undefined) throw mismatch("MCP-Protocol-Version");
  if (header("Mcp-Method") !== method) throw mismatch("Mcp-Method");
  if (method === "tools/call" && decoded(header("Mcp-Name")) !== params["name"]) {
    throw mismatch("Mcp-Name");
  }
}

function mismatch(name: string): Refused {
  return refused(codes.headerMismatch, `The header ${name} does not say what the body says.`);
}

/** Names that are no plain ASCII come in Base64, between marks. */
function decoded(sent: string | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(sent ?? "")?.[1];
  if (encoded === undefined) return sent;
  try {
    const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    return utf8.decode(Uint8Array.fromBase64(encoded));
  } catch {
    return undefined;
  }
}

const server = { name: "edge-forms", title: "Edge Forms", version: "1" };

/** A result as the version of its request has it. */
export function resultAnswer(message: Message, result: object): object {
  return message.modern
    ? { resultType: "complete", ...result, _meta: { [`${meta}/serverInfo`]: server } }
    : result;
}

const capabilities = { tools: {} };

const instructions =
  "Apps hold records, forms hold submissions: list_apps and list_forms tell which there are. A tool whose name ends " +
  "in the key of an app or form is about that one and knows its fields; for any other, read_definition tells the " +
  "fields first. Values stand in data, under the keys of the fields. Pages go on with next_cursor until it is null. " +
  "What is refused comes back as a problem whose errors name every field that is wrong and what is allowed. Send an " +
  "idempotency_key with a create, and the same one when it is tried again.";

export function discovered(): object {
  const ttlMs = 3_600_000;
  return { supportedVersions: [modern], capabilities, instructions, ttlMs, cacheScope: "public" };
}

export function initialized({ params }: Message): object {
  const [latest] = legacy;
  const protocolVersion = legacy.find((each) => each === params["protocolVersion"]) ?? latest;
  return { protocolVersion, capabilities, serverInfo: server, instructions };
}
