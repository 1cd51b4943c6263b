/** Generates types, a client, and zod schemas with which the client validates requests and responses. */
export default {
  input: process.env["DOCUMENT"],
  output: { path: process.env["CLIENT"], importFileExtension: ".ts", clean: true },
  plugins: [
    "@hey-api/client-fetch",
    "@hey-api/typescript",
    "zod",
    { name: "@hey-api/sdk", validator: true },
  ],
};
