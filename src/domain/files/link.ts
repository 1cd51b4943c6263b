import type { SigningKeys } from "#domain/credential/keys.ts";

/** A download without a credential, with the rights of the credential or member that issued the link. */
export interface FileLink {
  /** The file's ID, `fil_…`. */
  file: string;
  /** The ID of the credential or member that created the link. */
  credential: string;
  /** Milliseconds since 1970. A link expires at a whole second. */
  expires: number;
}

/** `efl_` + file + credential + expiry in seconds, in fixed-width hexadecimal, + a MAC of 256 bits. */
const linkPattern =
  /^efl_([0-9A-HJKMNP-TV-Z]{26})([0-9A-HJKMNP-TV-Z]{26})([0-9a-f]{9})([A-Za-z0-9_-]{43})$/;

const filePrefix = "fil_";

/** Creates the token of a link. The MAC covers all of it, so issuing a link writes nothing. */
export async function signLink(link: FileLink, key: Pick<SigningKeys, "sign">): Promise<string> {
  const expiry = Math.floor(link.expires / 1000)
    .toString(16)
    .padStart(9, "0");
  const body = `efl_${link.file.slice(filePrefix.length)}${link.credential}${expiry}`;
  return body + (await key.sign(body));
}

/**
 * Returns the signed content of a link, or null. The caller compares the file and the time, and checks at the primary
 * whether the credential may still read the file.
 */
export async function verifyLink(
  text: string,
  key: Pick<SigningKeys, "verify">,
): Promise<FileLink | null> {
  const [, file, credential, expiry, mac] = linkPattern.exec(text) ?? [];
  if (!file || !credential || !expiry || !mac) return null;
  if (!(await key.verify(text.slice(0, -mac.length), mac))) return null;
  return { file: filePrefix + file, credential, expires: Number.parseInt(expiry, 16) * 1000 };
}
