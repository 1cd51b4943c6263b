// The format of the secrets in links. `npm run deploy` writes the same format with Node.

export const secretBytes = 32;
/** The number of base64url characters of the secret. */
export const secretLength = 43;
/** The number of base64url characters of its MAC of 132 bits. */
export const macLength = 22;

/** Returns the text that the MAC covers. */
export const signedText = (purpose: string, secret: string): string => `${purpose} ${secret}`;
