/** Words and addresses of apps and forms in the administration area. */
export const words = {
  app: { one: "App", many: "Apps", items: "records", item: "record", path: "/admin/apps" },
  form: {
    one: "Form",
    many: "Forms",
    items: "submissions",
    item: "submission",
    path: "/admin/forms",
  },
} as const;
