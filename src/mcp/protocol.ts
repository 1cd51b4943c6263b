import { isObject } from "#domain/json.ts";
import { truncate } from "#domain/problem/field-errors.ts";

// The messages of the Model Context Protocol (JSON-RPC), their validation and their errors.

/** In this version, each request states its version and its client. */
const modernVersion = "2026-07-28";
/**
 * In these versions, a handshake negotiates the version. The server does not store it, because it treats them all the
 * same.
 */
const legacyVersions = ["2025-11-25", "2025-06-18"] as const;
const supportedVersions = [modernVersion, ...legacyVersions];

const metaPrefix = "io.modelcontextprotocol";

export type MessageId = string | number;

export interface RpcMessage {
  /** Undefined for a notification, which gets no response. */
  id: MessageId | undefined;
  method: string;
  params: Record<string, unknown>;
  isModern: boolean;
}

/** The error codes of JSON-RPC and of the protocol. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** The error of a rejected message, with its HTTP status. */
export class ProtocolError extends Error {
  readonly status: 200 | 400 | 403 | 404;
  readonly code: number;
  readonly data: unknown;

  constructor(status: ProtocolError["status"], code: number, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

const badRequest = (code: number, message: string, data?: unknown) =>
  new ProtocolError(400, code, message, data);

export type GetHeader = (name: string) => string | undefined;

/** Returns the id of a message, or undefined. */
export function messageId(body: unknown): MessageId | undefined {
  const id = isObject(body) ? body["id"] : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as MessageId) : undefined;
}

/** Parses a request or a notification. Throws when it is neither, or when its headers contradict the body. */
export function parseMessage(body: unknown, header: GetHeader): RpcMessage {
  const { jsonrpc, method, params = {} } = isObject(body) ? body : {};
  if (Array.isArray(body))
    throw badRequest(errorCodes.invalidRequest, "Send one message at a time.");
  if (!isObject(body) || jsonrpc !== "2.0" || typeof method !== "string" || !isObject(params)) {
    throw badRequest(
      errorCodes.invalidRequest,
      "The message is not a JSON-RPC 2.0 request or notification.",
    );
  }
  const id = messageId(body);
  if (id === undefined && "id" in body) {
    throw badRequest(errorCodes.invalidRequest, "id must be a string or an integer.");
  }
  const message = { id, method, params, isModern: isModern(method, params, header) };
  if (message.isModern && id !== undefined) assertHeadersMatch(message, header);
  return message;
}

const metaOf = (params: Record<string, unknown>) =>
  isObject(params["_meta"]) ? params["_meta"] : {};

/** Whether the message uses the modern protocol, which states the version in each request instead of a handshake. */
function isModern(method: string, params: Record<string, unknown>, header: GetHeader): boolean {
  if (`${metaPrefix}/protocolVersion` in metaOf(params)) return true;
  const headerVersion = header("MCP-Protocol-Version");
  if (headerVersion === undefined || (legacyVersions as readonly string[]).includes(headerVersion))
    return false;
  return method !== "initialize" || headerVersion === modernVersion;
}

/** Throws unless the headers match the body, because proxies may act on the headers alone. */
function assertHeadersMatch({ method, params }: RpcMessage, header: GetHeader): void {
  const meta = metaOf(params);
  const version = meta[`${metaPrefix}/protocolVersion`];
  const headerVersion = header("MCP-Protocol-Version");
  if (typeof version === "string" && headerVersion !== undefined && headerVersion !== version) {
    throw headerMismatch("MCP-Protocol-Version");
  }
  const requestedVersion = version ?? headerVersion;
  if (requestedVersion !== modernVersion) {
    const requested = typeof requestedVersion === "string" ? truncate(requestedVersion) : null;
    const data = { supported: supportedVersions, requested };
    throw badRequest(errorCodes.unsupportedVersion, "Unsupported protocol version", data);
  }
  const missingMembers = ["protocolVersion", "clientCapabilities"]
    .map((name) => `${metaPrefix}/${name}`)
    .filter((name) => !(name in meta));
  if (missingMembers.length > 0) {
    throw badRequest(errorCodes.invalidParams, `_meta lacks ${missingMembers.join(" and ")}.`);
  }
  if (!isObject(meta[`${metaPrefix}/clientCapabilities`])) {
    throw badRequest(
      errorCodes.invalidParams,
      `${metaPrefix}/clientCapabilities must be an object.`,
    );
  }
  if (headerVersion === undefined) throw headerMismatch("MCP-Protocol-Version");
  if (header("Mcp-Method") !== method) throw headerMismatch("Mcp-Method");
  if (method === "tools/call" && decodeName(header("Mcp-Name")) !== params["name"]) {
    throw headerMismatch("Mcp-Name");
  }
}

function headerMismatch(name: string): ProtocolError {
  return badRequest(errorCodes.headerMismatch, `The header ${name} does not match the body.`);
}

/** Decodes a name. Non-ASCII names arrive in Base64 between `=?base64?` and `?=`. */
function decodeName(header: string | undefined): string | undefined {
  const base64Name = /^=\?base64\?(.*)\?=$/.exec(header ?? "")?.[1];
  if (base64Name === undefined) return header;
  try {
    const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    return utf8.decode(Uint8Array.fromBase64(base64Name));
  } catch {
    return undefined;
  }
}

const serverInfo = { name: "edge-forms", title: "Edge Forms", version: "1" };

/** Returns the result in the format of the request's version. */
export function toVersionedResult(message: RpcMessage, result: object): object {
  return message.isModern
    ? { resultType: "complete", ...result, _meta: { [`${metaPrefix}/serverInfo`]: serverInfo } }
    : result;
}

const capabilities = { tools: {} };

const instructions =
  "Apps contain records and forms contain submissions. list_apps and list_forms list the apps and forms. A tool whose " +
  "name ends in the key of an app or form works on that one, and its input describes the fields. For all others, call " +
  "read_definition first to learn the fields. Values are in data, under the keys of the fields. Read further pages with " +
  "next_cursor until it is null. A rejected call returns a problem. Its errors name every invalid field and what is " +
  "allowed. Send an idempotency_key with each create, and the same key when you retry it.";

export function discoverResult(): object {
  const ttlMs = 3_600_000;
  return {
    supportedVersions: [modernVersion],
    capabilities,
    instructions,
    ttlMs,
    cacheScope: "public",
  };
}

export function initializeResult({ params }: RpcMessage): object {
  const [latest] = legacyVersions;
  const protocolVersion =
    legacyVersions.find((version) => version === params["protocolVersion"]) ?? latest;
  return { protocolVersion, capabilities, serverInfo: serverInfo, instructions };
}
