import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { getPayload } from "payload";
import { config } from "./config.mjs";
import { file, key } from "./env.mjs";

mkdirSync(dirname(file), { recursive: true });
for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
const payload = await getPayload({ config }); // outside production this pushes the schema
await payload.create({ collection: "users", data: { enableAPIKey: true, apiKey: key } });
process.exit(0);
