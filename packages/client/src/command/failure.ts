import { EdgeFormsError } from "../index.ts";

/** What the command tells in a sentence before it ends with 1; all else is a defect of its own. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** Text of others for a terminal, which would obey control characters. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what must not be printed
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, "�");
}

export function say(text: string): void {
  process.stdout.write(`${plain(text)}\n`);
}

/** A failure in a sentence, with what operators and authors of files need. */
export function sentenceOf(error: unknown): string {
  if (error instanceof EdgeFormsError) {
    const fields = error.errors.map(({ field, code, reason }) => `  ${field}: ${code}: ${reason}`);
    const more = fields.length > 20 ? [`  and ${fields.length - 20} more`] : [];
    const request = error.requestId ? [`  request ${error.requestId}`] : [];
    const message = messageOf(error);
    return [message, ...fields.slice(0, 20), ...more, ...request].join("\n");
  }
  const { message, code } = error as Error & { code?: string };
  // Node goes on with advice that is not meant here.
  if (code?.startsWith("ERR_PARSE_ARGS")) return `${message.split(". ")[0]}. See --help.`;
  // Of a file.
  const isPlain = error instanceof Failure || /^E[A-Z]+$/.test(code ?? "");
  return isPlain ? message : `A defect of this command: ${(error as Error).stack ?? String(error)}`;
}

function messageOf(error: EdgeFormsError): string {
  const { code, status } = error;
  if (code === "network_error") return `The service cannot be reached: ${causeOf(error)}`;
  const detail = error.problem["detail"];
  if (status === 401) return `${code}: ${ofEnvironment()} is wrong, expired or revoked.`;
  return typeof detail === "string" ? `${code}: ${detail}` : error.message;
}

const ofEnvironment = () =>
  process.env["EDGE_FORMS_TOKEN"]
    ? "EDGE_FORMS_TOKEN"
    : "EDGE_FORMS_CLIENT_ID or EDGE_FORMS_CLIENT_SECRET";

/** What lies under it says more: the host that is unknown, the port that refuses. */
function causeOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? causeOf(cause) : error.message;
}
