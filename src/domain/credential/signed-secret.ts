// The format of the secrets in links. `npm run deploy` writes the same format with Node.

export const secretBytes = 32;
/** The characters of the secret in base64url. */
export const secretLength = 43;
/** The characters of its MAC: 132 bits. */
export const macLength = 22;

/** The text that the MAC covers. */
export const signedText = (purpose: string, secret: string): string => `${purpose} ${secret}`;
