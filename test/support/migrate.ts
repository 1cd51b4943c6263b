import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { waiting } from "../../src/http/gate-reports.ts";

await applyD1Migrations(env.DB, (env as { MIGRATIONS?: D1Migration[] }).MIGRATIONS ?? []);

// What is told seconds behind an answer need not be waited for as long.
Object.assign(waiting, { refused: 500, served: 1000 });
