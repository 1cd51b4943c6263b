/** The apps and forms of the demo: a small company that sells stationery in Japan, Germany and Britain. */

const customers = {
  name: "Customers",
  receipt_prefix: "CUS-",
  title_field: "name",
  fields: [
    { key: "name", label: "Name", type: "text", required: true, max_length: 100 },
    { key: "email", label: "E-mail", type: "email", unique: true },
  ],
};

const products = {
  name: "Products",
  receipt_prefix: "PRO-",
  title_field: "name",
  fields: [
    { key: "name", label: "Name", type: "text", required: true, max_length: 100 },
    { key: "sku", label: "Article", type: "text", required: true, unique: true, max_length: 40 },
    { key: "price", label: "Price", type: "number", decimals: 2, minimum: 0 },
  ],
};

const orders = {
  name: "Orders",
  description: "Orders from the online shop.",
  time_zone: "Asia/Tokyo",
  receipt_prefix: "ORD-",
  fields: [
    { key: "customer", label: "Customer", type: "text", required: true, max_length: 100 },
    { key: "email", label: "Email", type: "email" },
    { key: "account", label: "Account", type: "reference", app: "customers" },
    { key: "ordered_on", label: "Ordered on", type: "date", required: true },
    {
      key: "state",
      label: "State",
      type: "select",
      options: [
        { value: "new", label: "New" },
        { value: "packed", label: "Packed" },
        { value: "sent", label: "Sent" },
      ],
      default: "new",
    },
    {
      key: "lines",
      label: "Lines",
      type: "line_items",
      min_rows: 1,
      max_rows: 100,
      fields: [
        { key: "sku", label: "Article", type: "text", required: true, max_length: 40 },
        { key: "product", label: "Product", type: "reference", app: "products" },
        {
          key: "qty",
          label: "Quantity",
          type: "number",
          integer: true,
          minimum: 1,
          required: true,
        },
        { key: "price", label: "Price", type: "number", decimals: 2, minimum: 0 },
        {
          key: "amount",
          label: "Amount",
          type: "computed",
          formula: "qty * price",
          result: "number",
          decimals: 2,
        },
      ],
    },
    {
      key: "total",
      label: "Total",
      type: "computed",
      formula: "sum(lines.map(l, l.amount))",
      result: "number",
      decimals: 2,
    },
    { key: "note", label: "Note", type: "multiline_text" },
  ],
};

const purchase = {
  name: "Purchase request",
  description: "Purchases that a department requests.",
  time_zone: "Asia/Tokyo",
  fields: [
    { key: "title", label: "What", type: "text", required: true, max_length: 200 },
    { key: "department", label: "Department", type: "text", required: true },
    { key: "amount", label: "Amount", type: "number", minimum: 0, decimals: 2, required: true },
    { key: "needed_by", label: "Needed by", type: "date" },
    {
      key: "invoices",
      label: "Quotes and invoices",
      type: "files",
      max_files: 5,
      max_bytes: 20_000_000,
      accept: ["image/*", "application/pdf"],
    },
    {
      key: "tags",
      label: "Tags",
      type: "multi_select",
      options: [{ value: "hardware" }, { value: "software" }, { value: "service" }],
    },
    { key: "reference", label: "Reference", type: "text", unique: true, max_length: 40 },
  ],
};

const helpdesk = {
  name: "Helpdesk",
  description: "Questions and complaints from the website.",
  time_zone: "Europe/Berlin",
  fields: [
    { key: "subject", label: "Subject", type: "text", required: true, max_length: 200 },
    { key: "name", label: "Name", type: "text", required: true, max_length: 100 },
    { key: "email", label: "E-mail", type: "email", required: true },
    {
      key: "topic",
      label: "Topic",
      type: "select",
      options: [
        { value: "delivery", label: "Delivery" },
        { value: "invoice", label: "Invoice" },
        { value: "return", label: "Return" },
        { value: "product", label: "Product" },
      ],
    },
    {
      key: "photos",
      label: "Photos",
      type: "files",
      max_files: 5,
      max_bytes: 10_000_000,
      accept: ["image/jpeg", "image/png", "image/webp"],
    },
    {
      key: "language",
      label: "Language",
      type: "select",
      options: [
        { value: "en", label: "English" },
        { value: "ja", label: "日本語" },
        { value: "de", label: "Deutsch" },
      ],
    },
    { key: "urgent", label: "Urgent", type: "boolean", default: false },
    { key: "order_number", label: "Order number", type: "text", max_length: 20 },
    { key: "message", label: "Message", type: "multiline_text" },
  ],
};

/** The definitions by path. The order matters, because a reference needs its app. */
export const definitions = {
  "/apps/customers": customers,
  "/apps/products": products,
  "/apps/orders": orders,
  "/forms/purchase": purchase,
  "/forms/helpdesk": helpdesk,
};
