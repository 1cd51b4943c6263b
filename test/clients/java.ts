import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { writeAnnotations } from "./annotations.ts";

const run = promisify(execFile);
const javaFolder = new URL("java", import.meta.url).pathname;

/** The files of the Debian packages libresteasy3.0-java and libjackson2-jaxrs-providers-java and of their dependencies. */
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

/** Lists the files and commands that this machine lacks to compile and run Java. */
export async function missingForJava(): Promise<string[]> {
  const compiler = await run("javac", ["-version"]).catch(() => null);
  return [...(compiler ? [] : ["javac"]), ...jars.filter((jar) => !existsSync(jar))];
}

/** Compiles the generated code in these folders with its dependencies, and runs `Calls.java`. */
export async function runJava(folders: string[], out: string, env: NodeJS.ProcessEnv) {
  const sources = [...folders, javaFolder].flatMap((folder) => globSync(join(folder, "**/*.java")));
  const classes = join(out, "classes");
  const path = jars.join(delimiter);
  const fastOptions = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-nowarn", "-proc:none"];
  const files = [...writeAnnotations(join(out, "annotations")), ...sources];
  await run("javac", [...fastOptions, "-cp", path, "-d", classes, ...files]);
  const classPath = [classes, path].join(delimiter);
  const { stdout } = await run("java", ["-XX:TieredStopAtLevel=1", "-cp", classPath, "Calls"], {
    env,
  });
  return stdout.split("\n");
}
