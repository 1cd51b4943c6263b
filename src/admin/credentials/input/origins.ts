import * as z from "zod/mini";
import { mostOrigins } from "../../../domain/credential/credential";
import { words } from "./list";

/** An origin as browsers say it (RFC 6454): over https, or of a developer's own machine. */
const origin = z
  .string()
  .check(
    z.refine(
      isOrigin,
      "Must be an origin like https://shop.example: no path, no * and no slash at the end.",
    ),
  );

function isOrigin(text: string): boolean {
  const address = URL.parse(text);
  if (!address || address.origin !== text) return false;
  const local = ["localhost", "127.0.0.1"].includes(address.hostname);
  return address.protocol === "https:" || (address.protocol === "http:" && local);
}

/** None, or a list as an array or with spaces or lines between. */
export const origins = z.pipe(
  z.transform((sent) => (typeof sent === "string" ? [...new Set(words(sent))] : sent)),
  z.array(origin).check(z.maxLength(mostOrigins)),
);
