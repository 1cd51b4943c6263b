import { createDemo } from "../../src/dev/demo/seed.ts";
import { ensureSecrets } from "../../src/dev/owner.ts";

/** Creates the demo in the current folder, like the first `npm run dev`. */
await createDemo(ensureSecrets());
