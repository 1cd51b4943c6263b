import { port } from "./env.mjs";

const { createServer } = await import("@directus/api/server");
const server = await createServer();
server.listen(port, "127.0.0.1", () => console.log(`ready on ${port}`));
