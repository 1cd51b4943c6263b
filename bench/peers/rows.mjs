export const departments = [
  "sales",
  "support",
  "finance",
  "legal",
  "marketing",
  "engineering",
  "design",
  "operations",
  "people",
  "research",
];
export const priorities = ["low", "normal", "high", "urgent"];
const day = 86_400_000;
const start = Date.UTC(2024, 0, 1);

function mulberry32(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// Each field is random on its own. The same seed gives the same rows for every server.
export function* rows(count, seed = 1) {
  const random = mulberry32(seed);
  const below = (n) => Math.floor(random() * n);
  for (let i = 1; i <= count; i++) {
    const customer = below(10_000);
    yield {
      title: `Request ${i} ${below(1e9).toString(36)}`,
      customer: `Customer ${customer}`,
      email: `customer${customer}@example.com`,
      department: departments[below(departments.length)],
      amount: below(1_000_001) / 100,
      quantity: 1 + below(100),
      due: new Date(start + below(1000) * day).toISOString().slice(0, 10),
      priority: priorities[below(priorities.length)],
      note: `Note ${below(1e9)} `.repeat(5).trim(),
      done: random() < 0.5,
    };
  }
}
