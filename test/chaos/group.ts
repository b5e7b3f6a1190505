/** Rows by what `of` says of them, each group in their order. Node 20 has no Map.groupBy. */
export function groupBy<T, K>(rows: readonly T[], of: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const key = of(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
