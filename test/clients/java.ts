import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { writeAnnotations } from "./annotations.ts";

const run = promisify(execFile);
const own = new URL("java", import.meta.url).pathname;

/** Of Debian's packages libresteasy3.0-java and libjackson2-jaxrs-providers-java, and what they need. */
const jars = [
  "commons-codec",
  "commons-logging",
  "httpclient",
  "httpcore",
  "jackson-annotations",
  "jackson-core",
  "jackson-databind",
  "jackson-jaxrs-base",
  "jackson-jaxrs-json-provider",
  "jackson-module-jaxb-annotations",
  "jakarta-activation",
  "jaxb-api",
  "jaxrs-api",
  "jboss-logging",
  "resteasy-client",
  "resteasy-jaxrs",
].map((name) => `/usr/share/java/${name}.jar`);

/** What this machine lacks to compile and run Java. */
export async function missingForJava(): Promise<string[]> {
  const compiler = await run("javac", ["-version"]).catch(() => null);
  return [...(compiler ? [] : ["javac"]), ...jars.filter((each) => !existsSync(each))];
}

/** Compiles what was generated into these folders, with all that it names, and runs the calls of `Calls.java`. */
export async function runJava(folders: string[], out: string, env: NodeJS.ProcessEnv) {
  const sources = [...folders, own].flatMap((each) => globSync(join(each, "**/*.java")));
  const classes = join(out, "classes");
  const path = jars.join(delimiter);
  const quick = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-nowarn", "-proc:none"];
  const files = [...writeAnnotations(join(out, "annotations")), ...sources];
  await run("javac", [...quick, "-cp", path, "-d", classes, ...files]);
  const classPath = [classes, path].join(delimiter);
  const { stdout } = await run("java", ["-XX:TieredStopAtLevel=1", "-cp", classPath, "Calls"], {
    env,
  });
  return stdout.split("\n");
}
