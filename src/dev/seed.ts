/** A small demo, created through the public API: apps whose records refer to each other, and a form with submissions. */

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
      key: "tags",
      label: "Tags",
      type: "multi_select",
      options: [{ value: "hardware" }, { value: "software" }, { value: "service" }],
    },
    { key: "reference", label: "Reference", type: "text", unique: true, max_length: 40 },
  ],
};

const records = [
  ["Yamada", "yamada@example.com", "2026-11-18", "sent", "A-1", 2, 30.2],
  ["Garcia", "garcia@example.com", "2026-11-19", "packed", "B-7", 1, 249],
  ["Okonkwo", "okonkwo@example.com", "2026-11-20", "new", "A-1", 10, 28.5],
  ["Lindström", "lindstrom@example.com", "2026-11-20", "new", "C-3", 4, 12.75],
].map(([customer, email, ordered_on, state, sku, qty, price]) => ({
  data: {
    customer,
    email,
    account: { email },
    ordered_on,
    state,
    lines: [{ sku, product: { sku }, qty, price }],
  },
}));

const customerRecords = records.map(({ data: { customer: name, email } }) => ({
  data: { name, email },
}));

const productRecords = [
  ["Notebook", "A-1", 30.2],
  ["Desk lamp", "B-7", 249],
  ["Fountain pen", "C-3", 12.75],
].map(([name, sku, price]) => ({ data: { name, sku, price } }));

const submissions = [
  ["Two monitors", "Design", 840, "2026-12-01", ["hardware"], "REQ-1", "submitted"],
  ["Editor licences", "Engineering", 1250.5, "2027-01-01", ["software"], "REQ-2", "submitted"],
  ["Window cleaning", "Facilities", 310, "2026-12-15", ["service"], "REQ-3", "draft"],
].map(([title, department, amount, needed_by, tags, reference, status]) => ({
  status,
  data: { title, department, amount, needed_by, tags, reference },
}));

/** Creates the demo in a service that has no apps and no forms yet. */
export async function seedDemo(url: string, token: string): Promise<void> {
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok)
      throw new Error(`Seeding failed: ${method} ${path}: ${await response.text()}`);
    return response;
  };
  const lists = await Promise.all([send("GET", "/apps?limit=1"), send("GET", "/forms?limit=1")]);
  const pages = (await Promise.all(lists.map((list) => list.json()))) as { items: object[] }[];
  if (pages.some(({ items }) => items.length > 0)) return;
  await send("PUT", "/apps/customers/schema", customers);
  await send("PUT", "/apps/products/schema", products);
  await send("PUT", "/apps/orders/schema", orders);
  await send("PUT", "/forms/purchase/schema", purchase);
  for (const record of customerRecords) await send("POST", "/apps/customers/records", record);
  for (const record of productRecords) await send("POST", "/apps/products/records", record);
  for (const record of records) await send("POST", "/apps/orders/records", record);
  for (const submission of submissions) {
    await send("POST", "/forms/purchase/submissions", submission);
  }
}
