/** Creates a value on first use, because an isolate evaluates every module before its first request. */
export function lazy<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}
