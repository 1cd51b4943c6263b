const most = 1000;

/** Puts an entry last in a map of what this isolate knows of credentials; where there are too many, the first one goes. */
export function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= most && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
