import { once } from "node:events";
import { createServer } from "node:http";
import { port } from "./env.mjs";

process.env.NODE_ENV = "production"; // before the imports: no schema push, no reload
const { getPayload, handleEndpoints } = await import("payload");
const { config } = await import("./config.mjs");
await getPayload({ config });

async function answer(req, res) {
  const headers = new Headers(Object.entries(req.headers));
  const init = { method: req.method, headers };
  if (req.method !== "GET" && req.method !== "HEAD") init.body = Buffer.concat(await req.toArray());
  const request = new Request(`http://${req.headers.host}${req.url}`, init);
  const response = await handleEndpoints({ config, request });
  const body = Buffer.from(await response.arrayBuffer());
  res.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    "content-length": body.length,
  });
  res.end(body);
}

const server = createServer((req, res) => void answer(req, res));
server.listen(port, "127.0.0.1");
await once(server, "listening");
console.log(`ready on ${port}`);
