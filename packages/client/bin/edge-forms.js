#!/usr/bin/env node
import { existsSync } from "node:fs";

// This file exists in a fresh checkout, so that npm links the command before the client is built.
const command = new URL("../dist/command/main.js", import.meta.url);
if (existsSync(command)) {
  await import(command.href);
} else {
  process.stderr.write("edge-forms: The client is not built. Run `npm run client` first.\n");
  process.exitCode = 1;
}
