import type { Host } from "../documents/openapi/frame";
import type { Version } from "../documents/openapi/rendering";
import { serviceDocument } from "../documents/openapi/service";
import { rendered, type Rendered } from "../http/answers/open-api";

// Built by the first request for it: at the start of an isolate all would wait for what few ask.
const served = new Map<string, Rendered>();
/** By how many addresses a service is called, in two versions. */
const mostServed = 8;

/** The document of the service as a whole, and its tag; it differs by the address of the service alone. */
export async function servedDocument(host: Host, version: Version): Promise<Rendered> {
  const name = `${version} ${host.origin}`;
  const known = served.get(name);
  if (known) return known;
  const made = await rendered(serviceDocument(host), version);
  if (served.size >= mostServed) served.clear();
  served.set(name, made);
  return made;
}
