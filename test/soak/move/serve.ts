import { serviceOf } from "../../dev/built-service.ts";
import type { Question } from "./server.ts";

/** `serve.ts FOLDER` serves the build in a folder with the data next to it, and answers what its parent asks. */

const [folder = ""] = process.argv.slice(2);
const miniflare = serviceOf(folder, folder);
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));

async function answer(question: Question): Promise<unknown> {
  if ("sql" in question) {
    const db = await miniflare.getD1Database(question.database);
    return (await db.prepare(question.sql).all()).results;
  }
  const worker = await miniflare.getWorker();
  return worker.scheduled({ cron: "* * * * *", scheduledTime: new Date(question.scheduledAt) });
}

process.on("message", ({ id, question }: { id: number; question: Question }) => {
  answer(question).then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
process.send?.({ url: String(await miniflare.ready).replace(/\/$/, "") });
