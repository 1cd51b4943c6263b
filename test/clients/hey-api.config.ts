export default {
  input: process.env["DOCUMENT"],
  output: { path: process.env["CLIENT"], importFileExtension: ".ts", clean: true },
};
