import * as z from "zod/mini";

const emailSchema = z.email();
const longestAddress = 2000;

export function isEmail(text: string): boolean {
  return text.length <= 254 && emailSchema.safeParse(text).success;
}

export function isUrl(text: string): boolean {
  return text.length <= longestAddress && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

export const phoneForm =
  "a phone number: 5 to 15 digits, with an optional leading +, spaces, dots, dashes and brackets";

export function isPhone(text: string): boolean {
  const digits = text.replace(/[ ().\-/]/g, "");
  return text.length <= 40 && /^\+?[0-9]{5,15}$/.test(digits);
}
