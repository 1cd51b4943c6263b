import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** Debian's Chromium. The headless shell has the same engine and takes half the CPU time. */
const binaries = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export function launchChromium(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? binaries.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error(`Install Chromium: ${binaries.join(" or ")}.`);
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
