import type { Host } from "../documents/openapi/collection";
import { serviceDocument } from "../documents/openapi/service";
import { contentTag } from "../domain/etag";

interface Served {
  origin: string;
  text: string;
  etag: string;
}

/** Stands in the document for the address of the service: that alone differs between requests. */
const somewhere = "https://service.invalid";

// Built by the first request for it: at the start of an isolate all would wait for what few ask.
let document: string | undefined;
let last: Served | undefined;

/** The document of the service as a whole, and its tag. */
export async function servedDocument({ origin, contact }: Host): Promise<Served> {
  if (last?.origin === origin) return last;
  document ??= JSON.stringify(serviceDocument({ origin: somewhere, contact }));
  const text = document.replaceAll(somewhere, origin);
  const served = { origin, text, etag: await contentTag(text) };
  last = served;
  return served;
}
