import { EdgeFormsError } from "../index.ts";

/** An expected error, printed as one sentence before exit code 1. Any other error is a defect of this command. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** Replaces control characters in foreign text, because a terminal would execute them. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters to replace
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, "�");
}

export function say(text: string): void {
  process.stdout.write(`${plain(text)}\n`);
}

/** Describes an error in one sentence, followed by its field errors and its request ID. */
export function sentenceOf(error: unknown): string {
  if (error instanceof EdgeFormsError) {
    const fields = error.errors.map(({ field, code, reason }) => `  ${field}: ${code}: ${reason}`);
    const remaining = fields.length > 20 ? [`  and ${fields.length - 20} more`] : [];
    const request = error.requestId ? [`  request ${error.requestId}`] : [];
    const message = messageOf(error);
    return [message, ...fields.slice(0, 20), ...remaining, ...request].join("\n");
  }
  const { message, code } = error as Error & { code?: string };
  // Node appends advice that does not apply to this command.
  if (code?.startsWith("ERR_PARSE_ARGS")) return `${message.split(". ")[0]}. See --help.`;
  // Codes like ENOENT come from the file system.
  const isPlain = error instanceof Failure || /^E[A-Z]+$/.test(code ?? "");
  return isPlain ? message : `Unexpected error:  ${(error as Error).stack ?? String(error)}`;
}

function messageOf(error: EdgeFormsError): string {
  const { code, status } = error;
  if (code === "network_error") return `Can't reach the service:  ${causeOf(error)}`;
  const detail = error.problem["detail"];
  if (status === 401) return `${code}: ${environmentNames()} is wrong, expired or revoked.`;
  return typeof detail === "string" ? `${code}: ${detail}` : error.message;
}

const environmentNames = () =>
  process.env["EDGE_FORMS_TOKEN"]
    ? "EDGE_FORMS_TOKEN"
    : "EDGE_FORMS_CLIENT_ID or EDGE_FORMS_CLIENT_SECRET";

/** Returns the message of the innermost cause, such as an unknown host or a refused connection. */
function causeOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? causeOf(cause) : error.message;
}
