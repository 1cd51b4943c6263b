/** The style sheet and the script of definitions and their data. */
export const dataAssets = { styles: ["/assets/data.css"], scripts: ["/assets/data.js"] };
