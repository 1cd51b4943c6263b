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
    const detail = error.problem["detail"];
    const message = typeof detail === "string" ? `${error.code}: ${detail}` : error.message;
    return [message, ...fields.slice(0, 20), ...more, ...request].join("\n");
  }
  const { message, code } = error as Error & { code?: string };
  // Of the options, or of a file.
  const isPlain = error instanceof Failure || /^(ERR_PARSE_ARGS|E[A-Z]+$)/.test(code ?? "");
  return isPlain ? message : `A defect of this command: ${(error as Error).stack ?? String(error)}`;
}
