/** The answer of a call, if it comes in time; a command that was given up may still be done. */
export async function within<T>(timeoutMs: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(new Error(`Redis did not answer within ${timeoutMs} ms`));
    // Where this process was too busy to read, the answer may be there already: it is looked for once more.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
