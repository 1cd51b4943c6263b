/** Words and addresses of apps and forms in the administration area. */
export const words = {
  app: {
    one: "app",
    many: "Apps",
    items: "records",
    Items: "Records",
    item: "record",
    path: "/admin/apps",
  },
  form: {
    one: "form",
    many: "Forms",
    items: "submissions",
    Items: "Submissions",
    item: "submission",
    path: "/admin/forms",
  },
} as const;
