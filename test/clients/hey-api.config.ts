/** Types, a client, and zod schemas by which the client judges what it sends and gets. */
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
