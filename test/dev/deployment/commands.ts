import { readFileSync } from "node:fs";
import { join } from "node:path";

export const project = new URL("../../..", import.meta.url).pathname;

const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/**
 * Shell functions in which `npm run` starts the same command as npm, without its start, and `npm ci` installs nothing.
 * `options` are those of Node.
 */
export function npmFunction(options = "", install = "true"): string {
  const cases = Object.entries(scripts)
    .filter(([, command]) => command.startsWith("node src/dev/"))
    .map(([name, command]) => `${name}) node ${options} ${command.slice("node ".length)} "$@";;`);
  return `npm() {
  if [ "$1" = ci ]; then ${install}; return; fi
  shift
  if [ "$1" = -s ]; then shift; fi
  local script=$1
  shift
  if [ "\${1-}" = -- ]; then shift; fi
  local PATH="$PWD/node_modules/.bin:$PATH"
  case $script in ${cases.join("\n")} *) return 1;; esac
}
`;
}

/** The commands of a section of a guide, in their order. */
export function commandsOf(guide: string, heading: string): string[] {
  const text = readFileSync(join(project, guide), "utf8");
  const section = text.split(`# ${heading}\n`)[1]?.split(/^##/m)[0] ?? "";
  return [...section.matchAll(/^npm run .*$/gm)].map(([line]) => line);
}

/** The command of ours that a workflow runs. */
export function commandOfWorkflow(name: string): string {
  const text = readFileSync(join(project, ".github/workflows", name), "utf8");
  return /- run: (npm run -s .*)/.exec(text)?.[1] ?? "";
}
