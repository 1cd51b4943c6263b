import { resolve } from "node:path";

const data = resolve(process.env.DATA ?? "data");
export const file = resolve(data, "data.db");
export const port = Number(process.env.PORT ?? 8055);
export const token = "bench-token-0123456789abcdef";

Object.assign(process.env, {
  NODE_ENV: "production",
  TZ: "UTC", // dates are stored as milliseconds of local midnight
  CONFIG_PATH: resolve(data, ".env"), // absent: only these settings count
  HOST: "127.0.0.1",
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SECRET: "bench-secret-0123456789abcdef-0123456789abcdef",
  ADMIN_EMAIL: "admin@example.com",
  ADMIN_PASSWORD: "bench-password",
  ADMIN_TOKEN: token,
  DB_CLIENT: "sqlite3",
  DB_FILENAME: file,
  STORAGE_LOCAL_ROOT: resolve(data, "uploads"),
  EXTENSIONS_PATH: resolve(data, "extensions"),
  TEMP_PATH: resolve(data, "tmp"),
  EMAIL_VERIFY_SETUP: "false",
  LOG_LEVEL: "silent",
  TELEMETRY: "false",
  PRESSURE_LIMITER_ENABLED: "false",
  RATE_LIMITER_ENABLED: "false",
  RATE_LIMITER_GLOBAL_ENABLED: "false",
  SERVE_APP: "false",
  AI_ENABLED: "false",
  MCP_ENABLED: "false",
  WEBSOCKETS_ENABLED: "false",
});
