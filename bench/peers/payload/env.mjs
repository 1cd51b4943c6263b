import { resolve } from "node:path";

export const file = resolve(process.env.DATA ?? "data", "data.db");
export const port = Number(process.env.PORT ?? 3000);
export const key = "bench-key-0123456789abcdef";
