import { flushCompileCache } from "node:module";
import { serviceOf } from "./built-service.ts";

/** `node serve-built.ts PORT BUILT` serves the build of `built.ts` with the data in the current folder. The system assigns port 0. */

const [port = "", builtFolder = ""] = process.argv.slice(2);
const miniflare = serviceOf(builtFolder, process.cwd(), Number(port));
// A killed test run sends no signal. Exits when the parent process is gone, so that the port becomes free.
const parentId = process.ppid;
setInterval(() => process.ppid === parentId || process.exit(), 500).unref();
// Tests kill this process, so that it does not store compiled code at its end.
flushCompileCache();
const { port: servedPort } = await miniflare.ready;
process.stdout.write(`Edge Forms answers at http://127.0.0.1:${servedPort}\n`);
