import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { waiting } from "../../src/http/answers/news";

// All in one batch: each file of tests has a database of its own.
const { MIGRATIONS = [] } = env as { MIGRATIONS?: D1Migration[] };
const queries = MIGRATIONS.flatMap((each) => each.queries);
await applyD1Migrations(env.DB, [{ name: "all", queries }]);

// What is told seconds behind an answer need not be waited for as long.
Object.assign(waiting, { refused: 500, served: 1000 });
